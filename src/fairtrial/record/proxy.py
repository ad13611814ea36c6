"""The account of a proxy that puts latency before a service: docs/engine-programs.md, "proxy"."""

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.record.engine_summary import Distribution


class Carried(Strict):
    """Traffic of a proxy in one direction, over all connections."""

    bytes: int
    chunks: int = Field(description="what one read of the proxy gave, handed on by itself")
    held_back_chunks: int = Field(
        description="those that were due before their receiver was connected or took them; they are in no lateness"
    )


class RoundTrips(Strict):
    """Round trips through a proxy, over all connections: a client's bytes until it sends again, or closes, after the
    service did. The first of a connection begins with it."""

    count: int
    service_seconds: float = Field(
        description="of all together, from when the first bytes were handed on to when the last ones of the answer came"
    )
    proxy_seconds: float = Field(description="of all together, what the proxy took beside that, its latency included")


class ProxyAccount(Strict):
    """A proxy in one trial, from before the stack started until it had stopped."""

    latency_seconds: float = Field(description="asked for, of a round trip; of a distribution the mean")
    connections: int
    failed_connects: int = Field(description="connections that the service refused")
    to_service: Carried
    to_clients: Carried
    lateness: Distribution = Field(description="of each chunk: from when it was due until the kernel had it")
    round_trips: RoundTrips | None = Field(None, description="that have ended; null in older records")
    cpu_seconds: float
