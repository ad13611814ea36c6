"""Local ports that ran out: a limit of the client that looks like one of the server."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck, Threshold


def examine(case: LoadCase) -> Iterator[Finding]:
    """A warning where closed connections hold most ports and the kernel does not reuse them; a refusal where connects
    failed."""
    for trial in case.trials:
        network = trial.network
        if network is None or network.time_wait_sockets is None or not network.local_ports:
            continue
        share = network.time_wait_sockets / network.local_ports
        if share < case.thresholds["share"]:
            continue
        failed = 0 if trial.engine is None else trial.engine.errors.get("connect", 0)
        load = case.loads.get(trial.condition)
        if load is not None and load.loses_clients:
            failed = 0  # the plan made them fail, not the kernel: `clients-gone` looks at these
        if network.ports_lent_again and not failed:
            continue
        yield case.finding(
            trial.index,
            "refusal" if failed else "warning",
            f"closed connections kept {network.time_wait_sockets:,} local ports (TIME_WAIT) at the end of the window, "
            f"of {network.local_ports:,} that outgoing ones have" + (f"; {failed:,} connects failed" if failed else ""),
        )


CHECK = LoadCheck(
    name="ports-exhausted",
    looks_at="local ports that closed connections keep (TIME_WAIT) at the end of the window, compared with the range "
    "of "
    "local ports, and connects that failed",
    thresholds={
        "share": Threshold(
            0.8,
            "share of the local ports",
            "each connect searches for a free port, which takes longer the fewer there are (ip(7), "
            "ip_local_port_range); "
            "a closed connection keeps its own for a minute (RFC 9293, section 3.6.1: TIME-WAIT; 60 s in Linux)",
        ),
    },
    remedy="keep connections alive, widen net.ipv4.ip_local_port_range, or allow net.ipv4.tcp_tw_reuse",
    examine=examine,
)
