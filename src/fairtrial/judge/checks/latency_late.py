"""A proxy that was late put more latency before a service than the experiment says."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.engine_summary import Distribution


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each proxy of a trial that handed chunks on too late."""
    for trial in case.trials:
        for service, proxy in trial.proxies.items():
            percentile, late = _tail(proxy.lateness)
            bound = max(case.thresholds["share"] * proxy.latency_seconds, case.thresholds["seconds"])
            if late > bound:
                usual = proxy.lateness.percentiles.get("50") or 0.0
                yield case.finding(
                    trial.index,
                    "refusal",
                    f"the proxy before {service} handed {100 - percentile:g}% of {proxy.lateness.count:,} chunks on "
                    f"{1000 * late:.3g} ms late or later (the median {1000 * usual:.3g} ms), at a latency of "
                    f"{1000 * proxy.latency_seconds:.3g} ms",
                )


def _tail(lateness: Distribution) -> tuple[float, float]:
    """The 99th percentile, or the highest below it that the sample supports, and its time in seconds."""
    percentile = min(lateness.supported_percentile or 50.0, 99.0)
    return percentile, lateness.percentiles.get(f"{percentile:g}") or 0.0


CHECK = Check(
    name="latency-late",
    looks_at="the time from when a proxy before a service was to hand a chunk on to when the kernel had it, by the "
    "proxy's own account",
    thresholds={
        "share": Threshold(
            0.1,
            "share of the latency",
            "a round trip passes two chunks: beyond that, 1 in 50 round trips took a tenth longer than the latency "
            "that is printed, or more",
        ),
        "seconds": Threshold(
            0.0002,
            "seconds",
            "two wake-ups of threads that share a processor, as the proxy and the load engine do, each with 0.1 ms to "
            "begin and to work; a connection over loopback without a proxy has them as well",
        ),
    },
    remedy="give the load generator more processors, because proxies share them with the load engine; offer less load; "
    "see foreign-load and stolen",
    examine=examine,
)
