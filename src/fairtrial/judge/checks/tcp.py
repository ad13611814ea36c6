from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.machine import NetworkMeter


@check(
    "backlog-overflow",
    looks_at="connections for which no listener had room in the window (ListenOverflows and ListenDrops of "
    "/proc/net/netstat), in the lab's network namespace",
    remedy="raise the stack's listen backlog and net.core.somaxconn, accept in more than one thread or process, or "
    "keep "
    "connections alive",
    of_loads=True,
    connections=Threshold(
        1,
        "connections",
        "the SYN or the final ACK is sent again after one second (RFC 6298, section 2): one is enough to set the "
        "maximum",
    ),
)
def backlog_overflow(network: NetworkMeter, engine: EngineSummary | None, *, connections: float) -> Iterator[Finding]:
    """Connections that no listener accepted: the client tries again only after a second.

    A warning: a short backlog is the contender's own choice, but the seconds of waiting come from the kernel.
    """
    dropped = max(network.listen_overflows or 0, network.listen_drops or 0)
    if dropped >= connections:
        longest = None if engine is None else engine.connect_time.max_seconds
        took = "" if longest is None else f"; the longest connect took {longest:.3f} s"
        yield finding("warning", f"{dropped:,} connections found the accept queue of a listener full{took}")


@check(
    "ports-exhausted",
    looks_at="local ports that closed connections keep (TIME_WAIT) at the end of the window, compared with the range "
    "of "
    "local ports, and connects that failed",
    remedy="keep connections alive, widen net.ipv4.ip_local_port_range, or allow net.ipv4.tcp_tw_reuse",
    of_loads=True,
    share=Threshold(
        0.8,
        "share of the local ports",
        "each connect searches for a free port, which takes longer the fewer there are (ip(7), ip_local_port_range)",
    ),
)
def ports_exhausted(
    network: NetworkMeter, engine: EngineSummary | None, load: Load | None, *, share: float
) -> Iterator[Finding]:
    """Local ports that ran out: a limit of the client that looks like one of the server.

    A warning where the kernel does not reuse them; a refusal where connects failed.
    """
    waiting, ports = network.time_wait_sockets, network.local_ports
    if waiting is None or not ports or waiting / ports < share:
        return
    failed = 0 if engine is None else engine.errors.get("connect", 0)
    if load is not None and load.loses_clients:
        failed = 0  # the plan made them fail, not the kernel: `clients-gone` looks at these
    if network.ports_lent_again and not failed:
        return
    yield finding(
        "refusal" if failed else "warning",
        f"closed connections kept {waiting:,} local ports (TIME_WAIT) at the end of the window, "
        f"of {ports:,} that outgoing ones have" + (f"; {failed:,} connects failed" if failed else ""),
    )


@check(
    "retransmits",
    looks_at="TCP segments that were retransmitted in the window, of all that were sent (RetransSegs and OutSegs of "
    "/proc/net/snmp), without probes on mere suspicion (TCPLossProbes minus TCPLossProbeRecovery), "
    "in the lab's network namespace",
    remedy="look for full queues: backlogs, socket buffers, a proxy that resets connections; over a network, for "
    "packet loss",
    of_loads=True,
    share=Threshold(
        0.001,
        "share of the segments",
        "a lost segment delays its request by 200 ms, the kernel's smallest timeout, or by a probe's two round "
        "trips (RFC 8985): at 1 in 1,000 the p99.9 consists of them",
    ),
)
def retransmits(network: NetworkMeter, *, share: float) -> Iterator[Finding]:
    """Retransmitted segments: on loopback, only a queue that overflowed loses any.

    A warning from the threshold on; its evidence says whether a retransmission timer expired.
    """
    if not network.sent_segments or not network.retransmitted_segments:
        return
    # A probe is sent on suspicion, as when the other side has no processor. By itself it delays nothing.
    suspected = (network.loss_probes or 0) - (network.loss_probe_recoveries or 0)
    losses = max(network.retransmitted_segments - suspected, 0)
    part = losses / network.sent_segments
    if part >= share:
        waited = f"; {network.timeouts:,} waited for a timeout of at least 0.2 s" if network.timeouts else ""
        evidence = f"{losses:,} of {network.sent_segments:,} TCP segments ({part:.2%}) were lost and sent again{waited}"
        yield finding("warning", evidence)
