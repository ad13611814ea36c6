from collections.abc import Iterator

from fairtrial.base.formatting import enumeration
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.record.engine_summary import EngineSummary, Routes


@check(
    "ports-crowded",
    looks_at="connections that shared an address of the server and a source address, compared with the local ports "
    "that a connect finds at once, which are half of the range",
    remedy="give the host of the load engine more addresses, widen net.ipv4.ip_local_port_range, let the load come "
    "from more hosts, or lower the number of connections",
    of_loads=True,
    crowd=Threshold(
        1.0,
        "connections for each of these ports",
        "Linux looks for a free port at every second one first, and at the others when all of those are taken "
        "(__inet_hash_connect in net/ipv4/inet_hashtables.c): each further connect looks at all of that half, about "
        "a millisecond of the engine's processor",
    ),
)
def ports_crowded(engine: EngineSummary, *, crowd: float) -> Iterator[Finding]:
    """Connects that search for a local port: the time is the load engine's, and looks like the server's.

    A warning. It is also printed before the load.
    """
    if engine.routes is not None and engine.routes.connections_each > crowd * engine.routes.ports_each:
        yield finding("warning", crowded_in_words(engine.routes))


def crowded_in_words(routes: Routes) -> str:
    """How many connections have to search for a local port, and what it costs."""
    sources = routes.source_addresses
    source = "one source address" if sources == 1 else f"each of {sources:,} source addresses"
    return (
        f"{routes.connections_each:,} connections to {enumeration(routes.addresses)} come from {source}, and "
        f"{routes.ports_each:,} find a local port at once: to open any further one takes the load engine about a "
        "millisecond"
    )
