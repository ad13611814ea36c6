from collections.abc import Iterator, Mapping

from fairtrial.base.formatting import count
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.judge.checks.uneven_connections import PERCENTILES
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary

CONNECTS = ("connect", "refused")
"""Errors that take no time: a connect fails at once."""
ANSWERED = ("status_", "wrong_")
"""How errors begin that are answers, whose times are known."""


@check(
    "clients-gone",
    looks_at="the time that the clients of a closed load were at work, compared with the window, where connects failed "
    "(J. D. C. Little, Operations Research 9 (1961), 383-387)",
    remedy="see why connects fail (local ports, file descriptors, a backlog), and use a client that tries again; "
    "divide by the time at work to learn what the contender served",
    of_loads=True,
    warn=Threshold(
        0.02,
        "share of the clients' time",
        "the tolerance of `littles-law`, which then has no lower bound: beyond it somebody was missing",
    ),
    refuse=Threshold(
        0.05,
        "share of the clients' time",
        "the rate is that of fewer clients than are printed beside it; 5% is the size of the differences that claims "
        "are about",
    ),
)
def clients_gone(engine: EngineSummary, load: Load, *, warn: float, refuse: float) -> Iterator[Finding]:
    """Clients that could not connect and did nothing more: the rate is divided by a time in which nobody asked.

    A warning or a refusal, by the part of the clients' time that failed connects cost. A warning takes the percentiles
    away, which are lower with fewer clients.

    By Little's law, the answers' times, divided by the number of clients, are how long these were at work. Where other
    requests failed, or clients pause, nothing can be told.
    """
    if load.clients is None or load.fixed_requests is not None or engine.has_pauses or _others(engine.errors):
        return
    failed = sum(engine.errors.get(kind, 0) for kind in CONNECTS)
    times, window = engine.response_time, engine.window_seconds
    if not failed or times.mean_seconds is None or times.max_seconds is None or window <= 0:
        return
    at_work_seconds = times.count * times.mean_seconds / load.clients
    longest = max(times.max_seconds, engine.oldest_in_flight_seconds or 0.0)
    idle_share = 1 - (at_work_seconds + longest) / window
    if idle_share < min(warn, refuse):
        return
    is_refused = idle_share >= refuse
    gone = f"{count(failed, 'stream')} had no connection" if load.http2 else f"{count(failed, 'connect')} failed"
    yield finding(
        "refusal" if is_refused else "warning",
        f"{gone}, and the clients were at work for {at_work_seconds:.2f} s of the "
        f"window of {window:.2f} s: {engine.goodput_per_second:,.0f} answers a second over all of it, and "
        f"{engine.verified / at_work_seconds:,.0f} while they were at work",
    )
    if not is_refused:
        yield finding("refusal", "the times are those of fewer clients", metrics=PERCENTILES)


def _others(errors: Mapping[str, int]) -> int:
    """How many requests failed in another way than at their connect, and without an answer."""
    return sum(number for kind, number in errors.items() if kind not in CONNECTS and not kind.startswith(ANSWERED))
