"""Connections that no listener accepted: the client tries again only after a second."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck, Threshold


def examine(case: LoadCase) -> Iterator[Finding]:
    """A warning: a short backlog is the contender's own choice, but the seconds of waiting come from the kernel."""
    for trial in case.trials:
        network = trial.network
        dropped = 0 if network is None else max(network.listen_overflows or 0, network.listen_drops or 0)
        if dropped >= case.thresholds["connections"]:
            longest = None if trial.engine is None else trial.engine.connect_time.max_seconds
            took = "" if longest is None else f"; the longest connect took {longest:.3f} s"
            yield case.finding(
                trial.index, "warning", f"{dropped:,} connections found the accept queue of a listener full{took}"
            )


CHECK = LoadCheck(
    name="backlog-overflow",
    looks_at="connections for which no listener had room in the window (ListenOverflows and ListenDrops of "
    "/proc/net/netstat), in the lab's network namespace",
    thresholds={
        "connections": Threshold(
            1,
            "connections",
            "the SYN or the final ACK is dropped and sent again after the initial timeout of one second (RFC 6298, "
            "section 2): one is enough to set the maximum",
        ),
    },
    remedy="raise the stack's listen backlog and net.core.somaxconn, accept in more than one thread or process, or "
    "keep "
    "connections alive",
    examine=examine,
)
