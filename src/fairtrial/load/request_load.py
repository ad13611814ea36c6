"""The properties that every load of requests has, whatever decides when they are sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import Field, model_validator

from fairtrial.base.formatting import count
from fairtrial.load.base import LoadBase
from fairtrial.load.engine_terms import (
    EngineLoad,
    EngineTerms,
    Http2,
    Http3,
    Protocol,
    StopAfterRequests,
    StopAfterSeconds,
)
from fairtrial.load.words import (
    describe_connections,
    describe_drain,
    describe_reuse,
    describe_seconds,
    describe_traced,
    describe_warmup,
)

Seconds = Annotated[float, Field(gt=0, le=86_400)]
Threads = Annotated[
    int | None,
    Field(ge=1, le=1024, description="of the load engine; null: one for each of its processors. At most connections"),
]

MOST_IN_FLIGHT = 1_000_000
"""Requests that the load engine has in flight at once, over all streams: its own limit (docs/engine-protocol.md)."""

LONGEST_WARMUP_SECONDS = 30.0
"""Unless the file says otherwise. A server that runs compiled code from its start is flat within a second. One that
compiles while it runs (the JVM's second compiler takes a method after 15,000 calls and loops) takes ten and more."""


@dataclass(frozen=True, kw_only=True)
class CommandOptions:
    """The options of `fairtrial load` beyond the load of an experiment.

    Attributes:
        think_seconds: how long a client of a closed load pauses before its next request.
        requests: after so many the load ends, in place of a time.
        requests_per_connection: None for as many as the server allows.
        pipeline: requests in flight on one connection of HTTP/1.1.
        tls: whether connections are encrypted, which an experiment's contenders say.
        websocket: whether requests are messages of a WebSocket, which a workload file says.
    """

    think_seconds: float = 0.0
    requests: int | None = None
    requests_per_connection: int | None = None
    pipeline: int = 1
    tls: bool = False
    websocket: bool = False


NO_OPTIONS = CommandOptions()


class RequestLoad(LoadBase):
    """A load that the engine offers."""

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
    http3: bool = Field(False, description="HTTP/3 in place of HTTP/1.1, over QUIC (RFC 9114): it needs TLS")
    streams: int = Field(
        1,
        ge=1,
        le=MOST_IN_FLIGHT,
        description="with http2 or http3: requests at once on each connection; over a WebSocket its `in_flight`",
    )
    idle_connections: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="over a WebSocket: so many further connections are opened before the load, and carry no messages",
    )
    timeout_seconds: float = Field(10.0, gt=0, le=3600, description="the patience of the client with each request")
    trace_share: float = Field(
        0.0, ge=0, le=1, description="so large a part of the requests, drawn at random, has a `traceparent`"
    )

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
        if self.http2 and self.http3:
            raise ValueError("http3: a load comes over one protocol: leave `http2` or `http3` out")
        if self.has_streams and not self.keep_alive:
            raise ValueError(
                f"keep_alive: over {self.protocol} the server alone ends connections: leave `keep_alive` or "
                f"`{self.protocol_key}` out"
            )
        if self.most_in_flight > MOST_IN_FLIGHT:
            raise ValueError(
                f"streams: {self.streams:,} on each of {self.connections:,} connections are more than the "
                f"{MOST_IN_FLIGHT:,} requests that can be in flight: lower `streams` or `connections`"
            )
        return self

    @property
    def protocol(self) -> Protocol:
        """Over which the requests are sent."""
        return "HTTP/3" if self.http3 else "HTTP/2" if self.http2 else "HTTP/1.1"

    @property
    def protocol_key(self) -> str:
        """The key by which it is chosen, of HTTP/2 and HTTP/3."""
        return "http3" if self.http3 else "http2"

    @property
    def has_streams(self) -> bool:
        """Whether many requests share a connection, as over HTTP/2 and HTTP/3."""
        return self.http2 or self.http3

    @property
    def offers_requests(self) -> bool:
        """It does."""
        return True

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
        """How many requests are in flight at most: one on each connection, or on each of its streams,
        or as many as there are messages on a WebSocket."""
        return self.connections * self.streams

    @property
    def client_noun(self) -> str:
        """What has one request in flight at a time: a `stream`, a `message` of a WebSocket, or a `connection`."""
        return "stream" if self.has_streams else "message" if self.streams > 1 else "connection"

    @property
    def each_in_words(self) -> str:
        """What is in flight on each connection, where that can be more than a request: `10 streams`."""
        return "" if self.client_noun == "connection" else count(self.streams, self.client_noun)


class OneRunLoad(RequestLoad):
    """A load of a single run of the engine."""

    def single_run(self, _found_per_second: float | None = None) -> Self:
        """The load itself, which is a single run."""
        return self

    def lasting(self, seconds: float) -> "OneRunLoad":
        """The same load over a window of so many seconds."""
        return self.model_copy(update={"duration_seconds": seconds})

    def shortened(self, *, warmup_seconds: float, window_seconds: float, requests: int) -> Self:  # noqa: ARG002
        """As above, where a time ends the load."""
        assert self.window_seconds is not None
        shorter = self.lasting(min(self.window_seconds, window_seconds))
        return self.model_copy(update={**dict(shorter), "warmup_seconds": min(self.warmup_seconds, warmup_seconds)})

    def due_by_second(self, seconds: int) -> Sequence[float]:  # noqa: ARG002
        """Requests that are due in each of the first seconds of the window, or their expected number; none: answers
        decide it."""
        return []

    def engine_load(self, options: CommandOptions = NO_OPTIONS) -> EngineLoad:
        """The load in the engine's own terms."""
        raise NotImplementedError

    def engine_terms(self, options: CommandOptions = NO_OPTIONS) -> EngineTerms:
        """All that the load decides of an engine's plan: `EnginePlan(address=…, **load.engine_terms())`."""
        requests = options.requests or self.fixed_requests
        drain_seconds, deadline_seconds = self._patience()
        return EngineTerms(
            load=self.engine_load(options),
            stop=StopAfterSeconds(seconds=self.window_seconds or 0.0)
            if requests is None
            else StopAfterRequests(requests=requests),
            warmup_seconds=self.warmup_seconds,
            warmup_limit_seconds=self._warmup_limit_seconds(),
            requests_per_connection=self._requests_per_connection(options),
            pipeline=options.pipeline,
            http2=Http2(streams=self.streams) if self.http2 else None,
            http3=Http3(streams=self.streams) if self.http3 else None,
            timeout_seconds=self.timeout_seconds,
            drain_seconds=drain_seconds,
            deadline_seconds=deadline_seconds,
            trace_share=self.trace_share or None,
        )

    def describe(self, options: CommandOptions = NO_OPTIONS) -> str:
        """The load in words: `closed, 16 connections, 50 ms think time, keep-alive`."""
        up_to = "up to " if self.is_open else ""
        return ", ".join(
            [
                self._pace_in_words(),
                up_to + describe_connections(self.connections, self.threads, self.each_in_words),
                *([f"{describe_seconds(options.think_seconds)} think time"] if options.think_seconds else []),
                "WebSocket"
                if options.websocket
                else describe_reuse(self._requests_per_connection(options), self.protocol),
                *(
                    [f"{options.pipeline} requests in flight per connection (pipelined)"]
                    if options.pipeline > 1
                    else []
                ),
                *(["TLS"] if options.tls else []),
                *([count(self.idle_connections, "idle connection")] if self.idle_connections else []),
                *self._limits_in_words(),
                *([describe_traced(self.trace_share)] if self.trace_share else []),
            ]
        )

    def lengths(self, options: CommandOptions = NO_OPTIONS) -> str:
        """How long it is measured, in words: `3 s after at least 1 s of warm-up`."""
        length = self._length_in_words() if options.requests is None else count(options.requests, "request")
        warmup = describe_warmup(self.warmup_seconds, self.longest_warmup_seconds)
        return length + warmup + describe_drain(self._patience()[0])

    @property
    def planned_seconds(self) -> float:
        """Warm-up and window."""
        return self.warmup_seconds + (self.window_seconds or 0.0)

    def _pace_in_words(self) -> str:
        """When requests begin, in words."""
        raise NotImplementedError

    def _limits_in_words(self) -> list[str]:
        """The further limits on how requests are sent, in words."""
        return []

    def _length_in_words(self) -> str:
        """How long the window is, in words."""
        return describe_seconds(self.window_seconds or 0.0)

    def _patience(self) -> tuple[float | None, float | None]:
        """The drain and the deadline of an open load, in seconds."""
        return None, None

    def _warmup_limit_seconds(self) -> float | None:
        """When a warm-up whose pace is not flat ends as such; None: there is none, or its pace is not looked at."""
        return self.longest_warmup_seconds or None

    def _requests_per_connection(self, options: CommandOptions) -> int | None:
        return options.requests_per_connection or (None if self.keep_alive else 1)
