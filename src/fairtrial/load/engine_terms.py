"""A load as the engine carries it out: the part of a plan that a kind of load decides. See docs/engine-protocol.md."""

from typing import Literal, TypedDict

from fairtrial.base.strict import Strict

Wait = Literal["sleep", "awake"]
"""What the load engine's threads do while they await answers: docs/engine-protocol.md, "Waiting"."""


class Closed(Strict):
    """Every connection sends its next request once its last one is answered, after the think time.

    With `local_ports`, only so many connects of the window succeed; a connection whose connect failed stays closed.
    """

    connections: int
    think_time_seconds: float = 0.0
    local_ports: int | None = None
    kind: Literal["closed"] = "closed"


class Constant(Strict):
    """Requests begin at equal intervals, however long the answers take."""

    rate_per_second: float
    connections: int
    waiting_limit: int | None = None
    kind: Literal["constant"] = "constant"


class Poisson(Strict):
    """Requests begin at random with this mean rate, like those of many independent clients."""

    rate_per_second: float
    connections: int
    waiting_limit: int | None = None
    kind: Literal["poisson"] = "poisson"


class Ramp(Strict):
    """The rate changes linearly over the window."""

    from_per_second: float
    to_per_second: float
    connections: int
    waiting_limit: int | None = None
    kind: Literal["ramp"] = "ramp"


class OfferedStep(Strict):
    """A rate, and for how long it is offered."""

    rate_per_second: float
    seconds: float


class Steps(Strict):
    """One constant rate after the other."""

    steps: list[OfferedStep]
    connections: int
    waiting_limit: int | None = None
    kind: Literal["steps"] = "steps"


EngineLoad = Closed | Constant | Poisson | Ramp | Steps


class StopAfterSeconds(Strict):
    seconds: float
    kind: Literal["seconds"] = "seconds"


class StopAfterRequests(Strict):
    requests: int
    kind: Literal["requests"] = "requests"


Protocol = Literal["HTTP/1.1", "HTTP/2", "HTTP/3"]
"""Over which requests are sent."""


class Http2(Strict):
    """HTTP/2: over TLS by ALPN, else with prior knowledge. `streams`: requests in flight on one connection."""

    streams: int = 1


class Http3(Strict):
    """HTTP/3, over QUIC. `streams`: requests in flight on one connection."""

    streams: int = 1


class EngineTerms(TypedDict):
    """The fields of an engine's plan that a load decides, by their names there."""

    load: EngineLoad
    stop: StopAfterSeconds | StopAfterRequests
    warmup_seconds: float
    warmup_limit_seconds: float | None
    requests_per_connection: int | None
    pipeline: int
    http2: Http2 | None
    http3: Http3 | None
    timeout_seconds: float
    drain_seconds: float | None
    deadline_seconds: float | None
    trace_share: float | None
