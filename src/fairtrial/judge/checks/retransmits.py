"""Retransmitted segments: on loopback, only a queue that overflowed loses any."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck, Threshold


def examine(case: LoadCase) -> Iterator[Finding]:
    """A warning from the threshold on; its evidence says whether a retransmission timer expired."""
    for trial in case.trials:
        network = trial.network
        if network is None or not network.sent_segments or not network.retransmitted_segments:
            continue
        # A probe is sent on suspicion, as when the other side has no processor. By itself it delays nothing.
        suspected = (network.loss_probes or 0) - (network.loss_probe_recoveries or 0)
        losses = max(network.retransmitted_segments - suspected, 0)
        share = losses / network.sent_segments
        if share >= case.thresholds["share"]:
            waited = f"; {network.timeouts:,} waited for a timeout of at least 0.2 s" if network.timeouts else ""
            yield case.finding(
                trial.index,
                "warning",
                f"{losses:,} of {network.sent_segments:,} TCP segments ({share:.2%}) were lost and sent again{waited}",
            )


CHECK = LoadCheck(
    name="retransmits",
    looks_at="TCP segments that were retransmitted in the window, of all that were sent (RetransSegs and OutSegs of "
    "/proc/net/snmp), without probes on mere suspicion (TCPLossProbes minus TCPLossProbeRecovery), "
    "in the lab's network namespace",
    thresholds={
        "share": Threshold(
            0.001,
            "share of the segments",
            "a lost segment delays its request by 200 ms, the kernel's smallest timeout, or by a probe's two round "
            "trips (RFC 8985): at 1 in 1,000 the p99.9 consists of them",
        ),
    },
    remedy="look for full queues: backlogs, socket buffers, a proxy that resets connections; over a network, for "
    "packet loss",
    examine=examine,
)
