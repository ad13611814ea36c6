import math
from collections.abc import Iterator, Mapping

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.histogram import read_histogram
from fairtrial.record.model import TrialRecord

SHARES = (0.01, 0.1, 0.5, 0.9)
"""These shares of the round trips of a latency that is drawn end by certain times, and no more of the answers."""

BY_CHANCE = 4.5
"""Standard deviations by which more may: one trial in 70,000 has more at one of these times."""


@check(
    "faster-than-possible",
    looks_at="the fastest answer to each request, and the number of answers that fit into the window; where a latency "
    "is drawn, how many answers came sooner than as many round trips can end",
    remedy="make the call, the sleep or the query for each request, and answer when it is over",
    share=Threshold(
        0.001,
        "share of the least time",
        "databases sleep by the clock of the day, which the kernel slews by up to 0.05% (adjtimex(2)): twice that. "
        "Delays and latencies are kept on the engine's own clock and never end early",
    ),
)
def faster_than_possible(
    engine: EngineSummary, trial: TrialRecord, load: Load | None, case: Case, *, share: float
) -> Iterator[Finding]:
    """No answer can be faster than the delay, the sleep or the round trip that it contains.

    A refusal.
    """
    work = case.record.implied_work.get(trial.condition)
    if work is None:
        return
    floors = {name: seconds for name, seconds in work.least_answer_seconds.items() if seconds > 0}
    for name, seconds in floors.items():
        fastest = _fastest_seconds(engine, name)
        if fastest is not None and fastest < seconds * (1 - share):
            yield finding(
                "refusal",
                f"an answer to {name} came after {1e3 * fastest:.3g} ms, and what it contains takes "
                f"{1e3 * seconds:.4g} ms at least",
            )
    begins = 1 if trial.slices is None else trial.slices.kept_rounds
    for evidence in (
        _too_many(engine, begins, floors, load, share),
        _too_soon(engine, trial, load, work.random_round_trip_seconds * (1 - share)),
    ):
        if evidence is not None:
            yield finding("refusal", evidence)


def _fastest_seconds(engine: EngineSummary, request: str) -> float | None:
    """The least time from the intended start of such a request to its answer's last byte; None if it was not kept.

    No answer is quicker than this says: sending may come later than intended, and never sooner.
    """
    share = engine.share_of(request)
    return None if share is None or share.response_time is None else share.response_time.min_seconds


def _too_many(
    engine: EngineSummary, begins: int, floors: Mapping[str, float], load: Load | None, share: float
) -> str | None:
    """Why the verified answers, each with its least time, do not fit into the window; None if they do.

    A connection, or a stream of HTTP/2 or HTTP/3, waits for one answer at a time, so the least times of its answers
    follow each other. Only the first of a window may have begun before it. A window that was put together from slices
    `begins` as often as there are slices.
    """
    if not floors or load is None or engine.window_seconds <= 0:
        return None
    least_seconds = sum(each.verified * floors.get(each.name, 0.0) for each in engine.mix)
    room_seconds = load.most_in_flight * (engine.window_seconds + begins * max(floors.values()))
    if least_seconds * (1 - share) <= room_seconds:
        return None
    return (
        f"{engine.verified:,} answers take {least_seconds:,.0f} s of waiting at least, and {load.most_in_flight} "
        f"{load.client_noun}s have {room_seconds:,.0f} s in a window of {engine.window_seconds:.3g} s"
    )


def _too_soon(engine: EngineSummary, trial: TrialRecord, load: Load | None, mean_seconds: float) -> str | None:
    """Why more answers came soon than round trips of this exponential distribution can have ended; None: they did not.

    Statements that share a connection share round trips, so that as many fewer were drawn.
    """
    if not mean_seconds or load is None:
        return None
    times = read_histogram(engine.response_time.hdr_base64)
    if not times.count:
        return None
    together = max(1.0, load.most_in_flight / (trial.database_connections or load.most_in_flight))
    for share in SHARES:
        within = -mean_seconds * math.log1p(-share)
        soon, chance = times.count_up_to(within), math.sqrt(together * share * (1 - share) * times.count)
        if soon > share * times.count + BY_CHANCE * chance:
            return (
                f"{soon / times.count:.1%} of the answers came within {1e3 * within:.3g} ms, in which {share:.0%} of "
                "the round trips to the database end"
            )
    return None
