"""What the load engine can do on this placement, measured before the first trial against a server that does nothing."""

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.record.distribution import Distribution
from fairtrial.record.machine import MachineMeter


class Calibration(Strict):
    """The engine against its own `target`: a fixed answer, on the server's processors, with a load's connections."""

    connections: int
    keep_alive: bool
    threads: int | None = Field(None, description="as the load says; null: one for each of the generator's processors")
    ceiling_per_second: float = Field(description="the highest rate of any slice: whatever disturbs can but lower it")
    mean_per_second: float = Field(description="over the whole window")
    window_seconds: float
    engine_cpu_seconds_per_request: float
    busiest_thread_share: float = Field(
        description="of the engine, 0 to 1: near 1, the engine set the ceiling; threads on one processor are summed"
    )
    machine: MachineMeter | None = Field(None, description="whether somebody disturbed it")
    rate_per_second: float | None = Field(None, description="of the open load whose pacing was tried; null: none was")
    pacing_lag: Distribution | None = Field(None, description="intended start to sent, at that rate")
