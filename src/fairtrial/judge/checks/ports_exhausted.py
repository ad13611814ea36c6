"""Local ports that ran out: the client's limit, printed as the server's."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A warning where closed connections hold most ports and the kernel does not lend them again; a refusal where
    connects failed."""
    for trial in case.trials:
        seen = trial.network
        if seen is None or seen.time_wait_sockets is None or not seen.local_ports:
            continue
        share = seen.time_wait_sockets / seen.local_ports
        if share < case.thresholds["share"]:
            continue
        failed = 0 if trial.engine is None else trial.engine.errors.get("connect", 0)
        if seen.ports_lent_again and not failed:
            continue
        yield case.finding(
            trial.index,
            "refusal" if failed else "warning",
            f"closed connections kept {seen.time_wait_sockets:,} local ports (TIME_WAIT) at the end of the window, of "
            f"{seen.local_ports:,} that outgoing ones have" + (f"; {failed:,} connects failed" if failed else ""),
        )


CHECK = Check(
    name="ports-exhausted",
    looks_at="local ports that closed connections keep (TIME_WAIT) at the window's close beside the range of local "
    "ports, and connects that failed",
    thresholds={
        "share": Threshold(
            0.8,
            "share of the local ports",
            "each connect searches for a free port and takes longer the fewer there are (ip(7), ip_local_port_range); "
            "a closed connection keeps its own for a minute (RFC 9293, section 3.6.1: TIME-WAIT; 60 s in Linux)",
        ),
    },
    remedy="keep connections alive, widen net.ipv4.ip_local_port_range, or allow net.ipv4.tcp_tw_reuse",
    examine=examine,
)
