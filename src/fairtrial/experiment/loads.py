"""How contenders are loaded: `[load]` of an experiment file, one model a kind."""

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from fairtrial.base.strict import SLUG, Strict
from fairtrial.experiment.describe_load import (
    describe_closed,
    describe_deadline,
    describe_drain,
    describe_fixed,
    describe_open,
    describe_rate,
    describe_streams,
    describe_warmup,
    describe_window,
)

Seconds = Annotated[float, Field(gt=0, le=86_400)]
Arrivals = Literal["poisson", "constant"]
Drain = Annotated[
    float | None,
    Field(
        ge=0,
        le=3600,
        description="how long answers that are owed at the window's end are awaited, at most; null: as long as the "
        "engine does by itself (docs/engine-protocol.md, The cohort)",
    ),
]
Deadline = Annotated[
    float | None,
    Field(
        ge=0.001,
        le=3600,
        description="a request that has been due for longer is not sent, and is an error of the kind `deadline`; null: "
        "it is sent, however late",
    ),
]
Threads = Annotated[
    int | None,
    Field(ge=1, le=1024, description="of the load engine; null: one for each of its processors. At most connections"),
]

Wait = Literal["sleep", "awake"]
"""What the load engine's threads do while they await answers: docs/engine-protocol.md, "Waiting"."""

METRIC_PERCENTILES = ("50", "75", "90", "95", "99", "99.9")
"""Those of times that metrics and objectives are named by; every record holds them."""

MOST_IN_FLIGHT = 1_000_000
"""Requests that the load engine has in flight at once, over all streams: its own limit (docs/engine-protocol.md)."""

LONGEST_WARMUP_SECONDS = 30.0
"""Unless the file says otherwise. A server that runs compiled code from its start is flat within a second. One that
compiles while it runs (the JVM's second compiler takes a method after 15,000 calls and loops) takes ten and more."""

FIXED_LASTS_SECONDS = 5.0
"""A guess at how long a given number of requests takes, until trials have been seen."""


def engine_threads(threads: int | None, connections: int, processors: int, hosts: int = 1) -> int:
    """How many threads of the load engine offer a load: what it asks for, or one a processor. One without a connection
    would have nothing to do, so never more than connections. Of several hosts, each has as many.

    Args:
        processors: of all hosts.
        hosts: that the load comes from.
    """
    return min(threads or processors, connections) // hosts * hosts or hosts


class _LoadBase(Strict):
    """What every load tells about itself."""

    def describe(self) -> str:
        """The load in words, as printed beside every figure: `closed, 16 connections, keep-alive`."""
        raise NotImplementedError

    def lengths(self) -> str:
        """How long it is measured, in words."""
        raise NotImplementedError

    @property
    def planned_seconds(self) -> float:
        """How long a trial's load takes, as far as the plan tells."""
        raise NotImplementedError


class RequestLoad(_LoadBase):
    """What every load of requests has, whatever decides when they are sent."""

    connections: int = Field(16, ge=1, le=60_000)
    threads: Threads = None
    warmup_seconds: float = Field(
        1.0, ge=0, le=3600, description="at least so long; the warm-up goes on until the pace is flat. 0: none"
    )
    warmup_limit_seconds: float | None = Field(
        None,
        ge=0,
        le=3600,
        description="the warm-up does not go on for longer; what still gets faster then has no figure. As long as "
        "warmup_seconds: a warm-up of that length. null: 30 s, or twice warmup_seconds if that is longer",
    )
    keep_alive: bool = True
    http2: bool = Field(
        False, description="HTTP/2 in place of HTTP/1.1: by ALPN over TLS, else with prior knowledge (RFC 9113)"
    )
    streams: int = Field(
        1, ge=1, le=MOST_IN_FLIGHT, description="with http2: requests in flight on each connection at once"
    )
    timeout_seconds: float = Field(10.0, gt=0, le=3600, description="the patience of the client with each request")

    @model_validator(mode="after")
    def _warmup_within_limit(self) -> Self:
        if self.warmup_limit_seconds is not None and self.warmup_limit_seconds < self.warmup_seconds:
            raise ValueError(
                f"warmup_limit_seconds: {self.warmup_limit_seconds:g} is below warmup_seconds, which is "
                f"{self.warmup_seconds:g}: raise the limit, or lower `warmup_seconds`"
            )
        return self

    @model_validator(mode="after")
    def _speaks_one_protocol(self) -> Self:
        if self.streams > 1 and not self.http2:
            raise ValueError("streams: they are HTTP/2's: set `http2 = true`, or leave `streams` out")
        if self.http2 and not self.keep_alive:
            raise ValueError(
                "keep_alive: over HTTP/2 the server alone ends connections: leave `keep_alive` or `http2` out"
            )
        if self.most_in_flight > MOST_IN_FLIGHT:
            raise ValueError(
                f"streams: {self.streams:,} on each of {self.connections:,} connections are more than the "
                f"{MOST_IN_FLIGHT:,} requests that can be in flight: lower `streams` or `connections`"
            )
        return self

    @property
    def longest_warmup_seconds(self) -> float:
        """How long the warm-up lasts at most; 0: there is none."""
        if not self.warmup_seconds:
            return 0.0
        if self.warmup_limit_seconds is not None:
            return self.warmup_limit_seconds
        return max(LONGEST_WARMUP_SECONDS, 2 * self.warmup_seconds)

    @property
    def most_in_flight(self) -> int:
        """How many requests are in flight at most: one on each connection, or on each of its streams."""
        return self.connections * self.streams

    @property
    def _streams(self) -> int | None:
        """As `describe_load` takes them: None over HTTP/1.1."""
        return self.streams if self.http2 else None

    @property
    def offered_per_second(self) -> float | None:
        """The rate at which requests begin; None where answers decide it, or the trial searches for it."""
        return None

    @property
    def window_seconds(self) -> float | None:
        """How long one measured window lasts; None where a number of requests decides it."""
        return None

    @property
    def _requests_per_connection(self) -> int | None:
        return None if self.keep_alive else 1


class _WithoutArrivals(RequestLoad):
    """A load whose next requests answers decide, so that none is owed when its window ends."""

    @model_validator(mode="before")
    @classmethod
    def _no_drain(cls, values: Any) -> Any:
        if isinstance(values, dict) and "drain_seconds" in values:
            raise ValueError(
                'drain_seconds: only kind = "open" and kind = "capacity" have requests that are due whatever the '
                "answers do, and await the rest of them: leave the key out, or choose such a kind"
            )
        return values


class ClosedLoad(_WithoutArrivals):
    """`connections` clients, each of which sends its next request when its last answer is complete."""

    kind: Literal["closed"] = "closed"
    duration_seconds: Seconds = 3.0
    local_ports: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="so many connects of the window succeed; a client whose connect fails is not heard of again, as "
        "one of wrk is when its host has no local port left; null: all",
    )

    @model_validator(mode="after")
    def _ports_of_http1(self) -> Self:
        if self.local_ports is not None and self.http2:
            raise ValueError("local_ports: they are counted over HTTP/1.1 alone: leave `local_ports` or `http2` out")
        return self

    def describe(self) -> str:
        """The load in words: `closed, 16 connections, keep-alive`; `closed, 4 connections × 10 streams, HTTP/2`."""
        return describe_closed(
            self.connections,
            threads=self.threads,
            requests_per_connection=self._requests_per_connection,
            local_ports=self.local_ports,
            streams=self._streams,
        )

    def lengths(self) -> str:
        """How long it is measured, in words."""
        return describe_window(self.duration_seconds, self.warmup_seconds, self.longest_warmup_seconds)

    @property
    def planned_seconds(self) -> float:
        """Warm-up and window."""
        return self.warmup_seconds + self.duration_seconds

    @property
    def window_seconds(self) -> float:
        """The duration."""
        return self.duration_seconds


class FixedLoad(_WithoutArrivals):
    """A closed load of a fixed number of requests; measured from the first to the last of them.

    With as many connections as requests, all of them are sent at once.
    """

    kind: Literal["fixed"]
    requests: int = Field(ge=1, le=1_000_000_000)
    warmup_seconds: float = Field(0.0, ge=0, le=3600, description="as of a closed load")

    @model_validator(mode="after")
    def _no_idle_connections(self) -> Self:
        if self.most_in_flight > self.requests:
            at_once = f"connections: {self.connections}" + (f" with {self.streams} streams each" if self.http2 else "")
            raise ValueError(f"{at_once} are more than the {self.requests} requests")
        return self

    def describe(self) -> str:
        """The load in words: `30,000 requests, 20 connections, keep-alive`."""
        return describe_fixed(
            self.requests,
            self.connections,
            threads=self.threads,
            requests_per_connection=self._requests_per_connection,
            streams=self._streams,
        )

    def lengths(self) -> str:
        """How long it is measured, in words."""
        warmup = describe_warmup(self.warmup_seconds, self.longest_warmup_seconds)
        return f"from the first request to the last{warmup}"

    @property
    def planned_seconds(self) -> float:
        """A guess, until trials have been seen."""
        return self.warmup_seconds + FIXED_LASTS_SECONDS


class OpenLoad(RequestLoad):
    """Requests begin at a given rate, whatever the answers do; response times count from when each was due."""

    kind: Literal["open"]
    rate_per_second: float = Field(gt=0, le=10_000_000)
    arrivals: Arrivals = Field(
        "poisson", description="poisson: at random, as from independent callers; constant: at equal distances"
    )
    connections: int = Field(256, ge=1, le=60_000, description="at most so many requests are under way at once")
    duration_seconds: Seconds = 3.0
    drain_seconds: Drain = None
    deadline_seconds: Deadline = None

    def describe(self) -> str:
        """The load in words: `open, 500 requests/s, Poisson arrivals, up to 256 connections, keep-alive`."""
        words = describe_open(
            describe_rate(self.rate_per_second, self.arrivals),
            self.connections,
            threads=self.threads,
            requests_per_connection=self._requests_per_connection,
            streams=self._streams,
        )
        return words if self.deadline_seconds is None else f"{words}, {describe_deadline(self.deadline_seconds)}"

    def lengths(self) -> str:
        """How long it is measured, in words."""
        window = describe_window(self.duration_seconds, self.warmup_seconds, self.longest_warmup_seconds)
        return window + describe_drain(self.drain_seconds)

    @property
    def planned_seconds(self) -> float:
        """Warm-up and window."""
        return self.warmup_seconds + self.duration_seconds

    @property
    def offered_per_second(self) -> float:
        """The rate."""
        return self.rate_per_second

    @property
    def window_seconds(self) -> float:
        """The duration."""
        return self.duration_seconds


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
            streams=self.streams,
            timeout_seconds=self.timeout_seconds,
        )

    def describe(self) -> str:
        """The load in words: `the highest rate with p99 within 50 ms, no errors`."""
        over = f", up to {describe_streams(self.connections, self.streams)}, HTTP/2" if self.http2 else ""
        return f"the highest rate with {'; '.join(objective.describe() for objective in self.objectives)}{over}"

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


class ProgramLoad(_LoadBase):
    """No load at all: the contender is a program that does its job and ends. It is started anew for each trial."""

    kind: Literal["program"] = "program"
    timeout_seconds: float = Field(600.0, gt=0, le=86_400)

    def describe(self) -> str:
        """As printed beside every figure."""
        return "a program, timed from its start to its end"

    def lengths(self) -> str:
        """How long it is measured, in words."""
        return f"at most {self.timeout_seconds:g} s"

    @property
    def planned_seconds(self) -> float:
        """Nobody knows how long a job takes: nothing, until trials have been seen."""
        return 0.0


def _kind_of_load(value: Any) -> str:
    return str(value.get("kind", "closed")) if isinstance(value, dict) else str(value.kind)


Load = Annotated[
    Annotated[ClosedLoad, Tag("closed")]
    | Annotated[FixedLoad, Tag("fixed")]
    | Annotated[OpenLoad, Tag("open")]
    | Annotated[CapacityLoad, Tag("capacity")]
    | Annotated[ProgramLoad, Tag("program")],
    Discriminator(_kind_of_load),
]
SingleRunLoad = ClosedLoad | FixedLoad | OpenLoad
"""Loads of a single run of the engine. A `CapacityLoad` is a search made of several."""
