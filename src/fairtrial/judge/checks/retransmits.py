"""Segments sent again: on loopback nothing is lost but by a queue that ran over."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A warning above the share, and where a retransmission timer ran out."""
    for trial in case.trials:
        seen = trial.network
        if seen is None or not seen.sent_segments or not seen.retransmitted_segments:
            continue
        # A probe goes out on suspicion, as when the other side has no processor: it delays nothing by itself.
        suspected = (seen.loss_probes or 0) - (seen.loss_probe_recoveries or 0)
        lost = max(seen.retransmitted_segments - suspected, 0)
        share = lost / seen.sent_segments
        if share >= case.thresholds["share"]:
            waited = f"; {seen.timeouts:,} waited for a timeout of at least 0.2 s" if seen.timeouts else ""
            yield case.finding(
                trial.index,
                "warning",
                f"{lost:,} of {seen.sent_segments:,} TCP segments ({share:.2%}) were lost and sent again{waited}",
            )


CHECK = Check(
    name="retransmits",
    looks_at="TCP segments that were sent again in the window, of all that were sent (RetransSegs and OutSegs of "
    "/proc/net/snmp), without probes on mere suspicion (TCPLossProbes less TCPLossProbeRecovery), "
    "in the lab's network namespace",
    thresholds={
        "share": Threshold(
            0.001,
            "share of the segments",
            "a lost segment delays its request by 200 ms, the kernel's smallest timeout, or by a probe's two round "
            "trips (RFC 8985): at 1 in 1,000 the p99.9 is made of them",
        ),
    },
    remedy="look for full queues: backlogs, socket buffers, a proxy that resets; over a network, for its losses",
    examine=examine,
)
