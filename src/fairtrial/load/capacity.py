"""A search, in each trial, for the highest rate that a contender sustains."""

from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from fairtrial.base.formatting import count
from fairtrial.base.strict import SLUG, Strict
from fairtrial.load.open import Arrivals, Drain, OpenLoad
from fairtrial.load.request_load import RequestLoad, Seconds
from fairtrial.load.words import describe_drain, describe_streams, describe_traced

METRIC_PERCENTILES = ("50", "75", "90", "95", "99", "99.9")
"""Those of times that metrics and objectives are named by; every record holds them."""


class Objective(Strict):
    """A service level: so much of the answers within so long, and no more errors than that."""

    name: str = Field(pattern=SLUG)
    percentile: float = Field(99, description="one of 50, 75, 90, 95, 99, 99.9")
    within_milliseconds: float = Field(gt=0, le=3_600_000, description="of response time, at that percentile")
    error_share: float = Field(0.0, ge=0, lt=1, description="of all requests")
    request: str | None = Field(
        None, min_length=1, description="the request of the workload's mix whose time it is; null: of all"
    )

    @field_validator("percentile")
    @classmethod
    def _kept_in_records(cls, value: float) -> float:
        if f"{value:g}" not in METRIC_PERCENTILES:
            raise ValueError(f"there are {', '.join(METRIC_PERCENTILES)}")
        return value

    def describe(self) -> str:
        """`p99 within 50 ms, no errors`."""
        errors = "no errors" if self.error_share == 0 else f"errors at most {self.error_share:.3%}"
        of = "" if self.request is None else f" of {self.request}"
        return f"p{self.percentile:g}{of} within {self.within_milliseconds:g} ms, {errors}"


class CapacityLoad(RequestLoad):
    """A search, in each trial, for the highest rate at which each objective still holds.

    Short probes bracket and halve; a full run of duration_seconds confirms.
    """

    kind: Literal["capacity"]
    objectives: list[Objective] = Field(min_length=1, max_length=8)
    lowest_per_second: float = Field(50, gt=0)
    highest_per_second: float = Field(200_000, gt=0, le=10_000_000)
    precision: float = Field(0.05, ge=0.01, le=0.5, description="the search ends when it has the rate to this share")
    arrivals: Arrivals = "poisson"
    connections: int = Field(256, ge=1, le=60_000)
    probe_seconds: float = Field(1.0, gt=0, le=3600)
    duration_seconds: Seconds = 3.0
    drain_seconds: Drain = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.lowest_per_second >= self.highest_per_second:
            raise ValueError("lowest_per_second is not below highest_per_second")
        names = [objective.name for objective in self.objectives]
        if len(set(names)) < len(names):
            raise ValueError(f"objectives: a name is used twice: {', '.join(names)}")
        return self

    def at_rate(self, rate_per_second: float, seconds: float) -> OpenLoad:
        """The open load of one probe."""
        return OpenLoad(
            kind="open",
            rate_per_second=rate_per_second,
            arrivals=self.arrivals,
            connections=self.connections,
            threads=self.threads,
            warmup_seconds=self.warmup_seconds,
            warmup_limit_seconds=self.warmup_limit_seconds,
            duration_seconds=seconds,
            drain_seconds=self.drain_seconds,
            keep_alive=self.keep_alive,
            http2=self.http2,
            http3=self.http3,
            streams=self.streams,
            timeout_seconds=self.timeout_seconds,
            trace_share=self.trace_share,
        )

    def single_run(self, found_per_second: float | None = None) -> OpenLoad:
        """The open load at the rate that was found, or else at the lowest."""
        return self.at_rate(found_per_second or self.lowest_per_second, self.duration_seconds)

    def shortened(self, *, warmup_seconds: float, window_seconds: float, requests: int) -> Self:  # noqa: ARG002
        """A shorter run confirms; the probes are as long as they were."""
        return self.model_copy(
            update={
                "warmup_seconds": min(self.warmup_seconds, warmup_seconds),
                "duration_seconds": min(self.duration_seconds, window_seconds),
            }
        )

    def describe(self) -> str:
        """The load in words: `the highest rate with p99 within 50 ms, no errors`."""
        up_to = describe_streams(self.connections, self.each_in_words)
        over = f", up to {up_to}, {self.protocol}" if self.has_streams else ""
        traced = f", {describe_traced(self.trace_share)}" if self.trace_share else ""
        objectives = "; ".join(objective.describe() for objective in self.objectives)
        idle = f", {count(self.idle_connections, 'idle connection')}" if self.idle_connections else ""
        return f"the highest rate with {objectives}{over}{idle}{traced}"

    def lengths(self) -> str:
        """How long it is measured, in words."""
        lengths = f"probes of {self.probe_seconds:g} s, confirmed over {self.duration_seconds:g} s"
        return lengths + describe_drain(self.drain_seconds)

    @property
    def planned_seconds(self) -> float:
        """A guess: a dozen probes, and a confirmation for each objective."""
        per_run = self.warmup_seconds
        return 12 * (per_run + self.probe_seconds) + len(self.objectives) * (per_run + self.duration_seconds)

    @property
    def window_seconds(self) -> float:
        """The duration of the run that confirms."""
        return self.duration_seconds
