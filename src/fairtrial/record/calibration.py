"""The load engine's limits on this placement, measured before the first trial, on a server that does nothing."""

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.load.engine_terms import Wait
from fairtrial.record.engine_summary import Distribution
from fairtrial.record.machine import MachineMeter

CEILING_STAGE = "ceiling"
"""The stage of a block's first trial that measures the load engine's ceiling, before the trial starts."""


class Calibration(Strict):
    """A run with a load's connections against the engine's own `target`: a fixed answer, on the server's processors."""

    connections: int
    keep_alive: bool
    threads: int | None = Field(None, description="as in the load; null: one for each of the generator's processors")
    wait: Wait | None = Field(
        None, description="what the engine did while it awaited answers, as in the load's trials; null in older records"
    )
    ceiling_per_second: float = Field(
        description="the median rate of the slices of the window (in older records the highest)"
    )
    slices_per_second: list[float] = Field(
        default_factory=list, description="the rate in each slice of the window; empty in older records"
    )
    mean_per_second: float = Field(description="over the whole window")
    window_seconds: float
    engine_cpu_seconds_per_request: float
    busiest_thread_share: float = Field(
        description="of the engine, 0 to 1: near 1, the engine set the ceiling; threads on one processor are summed"
    )
    machine: MachineMeter | None = Field(None, description="the machine meanwhile: it shows disturbances")
    rate_per_second: float | None = Field(
        None, description="of the open load whose pacing was measured; null: none was"
    )
    pacing_lag: Distribution | None = Field(None, description="intended start to sent, at that rate")
    floor: Distribution | None = Field(
        None, description="response time with a single connection, one request after the other; null in older records"
    )
    floor_at_rate: Distribution | None = Field(None, description="response time at that rate; null in older records")


class BlockCeiling(Strict):
    """The engine's ceiling before a block, with the connections, threads and waiting of a trial in it."""

    per_second: float = Field(description="the median rate of the slices of a short window")
    slices_per_second: list[float] = Field(description="the rate in each slice")
    machine: MachineMeter | None = Field(description="the machine meanwhile: it shows disturbances")

    @classmethod
    def of(cls, calibration: Calibration) -> "BlockCeiling":
        """The ceiling that a calibration measured."""
        return cls(
            per_second=calibration.ceiling_per_second,
            slices_per_second=calibration.slices_per_second,
            machine=calibration.machine,
        )
