from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.engine_summary import Distribution
from fairtrial.record.model import TrialRecord
from fairtrial.record.proxy import ProxyAccount


@check(
    "latency-bypassed",
    looks_at="the connections that the stack held past a proxy, in the warm-up and when the window closed; and the "
    "bytes that the proxy carried, compared with the statements that the database counted, or else with none",
    remedy="connect to the address in DATABASE_URL and CACHE_URL, and to no other that the server names itself",
)
def latency_bypassed(trial: TrialRecord, case: Case) -> Iterator[Finding]:
    """A stack that reached its service past the proxy did not have the latency that is printed.

    A refusal for each proxy.
    """
    for service, past in trial.connections_past_proxies.items():
        if past:
            yield finding("refusal", f"{count(past, 'connection')} to {service} itself, past the proxy before it")
    database = case.condition_of(trial).service
    for service, proxy in trial.proxies.items():
        carried = proxy.to_service.bytes
        least = _least_done(trial, is_database=service == database)
        if carried < least:
            yield finding(
                "refusal",
                f"the proxy before {service} carried {carried:,} bytes to it, too few for what it did: {least:,} "
                "statements or answers at least",
            )


def _least_done(trial: TrialRecord, *, is_database: bool) -> int:
    """The least work that the service did for the stack, counted so that each takes a byte or more of the stack."""
    answered = trial.engine is not None and trial.engine.verified > 0
    any_byte = 1 if answered or trial.program is not None else 0
    counted = trial.ledger.done.get("statements", 0) if is_database and trial.ledger is not None else 0
    return max(any_byte, counted)


@check(
    "latency-late",
    looks_at="the time from when a proxy was to hand a chunk on to when the kernel had it, by its own account",
    remedy="give the load generator more processors, because proxies share them with the load engine; offer less load; "
    "see foreign-load and stolen",
    share=Threshold(
        0.1,
        "share of the latency",
        "a round trip passes two chunks: beyond that, 1 in 50 round trips took a tenth longer than the latency "
        "that is printed, or more",
    ),
    seconds=Threshold(
        0.0002,
        "seconds",
        "two wake-ups of threads that share a processor, each with 0.1 ms to begin and to work",
    ),
)
def latency_late(proxies: dict[str, ProxyAccount], *, share: float, seconds: float) -> Iterator[Finding]:
    """A proxy that was late put more latency before a service than the experiment says.

    A refusal for each proxy.
    """
    for service, proxy in proxies.items():
        percentile, late = _tail(proxy.lateness)
        if late > max(share * proxy.latency_seconds, seconds):
            usual = proxy.lateness.percentiles.get("50") or 0.0
            yield finding(
                "refusal",
                f"the proxy before {service} handed {100 - percentile:g}% of {proxy.lateness.count:,} chunks on "
                f"{1000 * late:.3g} ms late or later (the median {1000 * usual:.3g} ms), at a latency of "
                f"{1000 * proxy.latency_seconds:.3g} ms",
            )


def _tail(lateness: Distribution) -> tuple[float, float]:
    """The 99th percentile, or the highest below it that the sample supports, and its time in seconds."""
    percentile = min(lateness.supported_percentile or 50.0, 99.0)
    return percentile, lateness.percentiles.get(f"{percentile:g}") or 0.0
