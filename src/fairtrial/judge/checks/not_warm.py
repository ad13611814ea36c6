import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairtrial.base.formatting import count, figure, span
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, LoadCase, Threshold, finding
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS, mean_interval
from fairtrial.load.kinds import Load
from fairtrial.load.words import describe_seconds
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord, by_condition

FIRST_SHARE = 0.2
LABS_TENTHS = 1
"""The lab begins to read its meters when a window opens, which takes 20 to 30 ms of a processor (two processors, both
of them busy): where the load engine needs that one, the first tenth has a quarter less, whoever answers."""
SHORTEST_TENTHS = LABS_TENTHS + 4
"""The first part has one of those that count, the rest has three."""
SHORTEST_SECONDS = SHORTEST_TENTHS / 10
TENTHS_UP_TO_SECONDS = 2
"""Shorter windows are cut by tenths of a second; in others, the first part is one second at least, of which the lab
takes 3%."""
NOTHING = 0.5
"""Answers in the place of none at all, so that a part without an answer has a logarithm, and is not overlooked."""
QUICK_FIRST = (
    "the window begins faster than it goes on: look for what is used up or fills (burst credits, a turbo clock, a "
    "queue, a cache of the disk); lengthen warmup_seconds and duration_seconds"
)
LONGER_LIMIT = (
    "raise warmup_limit_seconds: the contender was not warm when its warm-up had to end, and has no figure before it is"
)


@check(
    "not-warm",
    looks_at="whether the warm-up ended because the pace was flat; and goodput of the first fifth of each "
    "window (of an open load, its medians) against the rest, paired within each window, over all "
    "blocks of a condition, but for searches for a capacity (Student's interval of the mean log ratio)",
    remedy="lengthen warmup_seconds: in each block the contender became faster after the window had opened, and a "
    "figure of both is neither of the cold contender nor of the warm one",
    of_loads=True,
    tolerance=Threshold(
        0.1,
        "log ratio",
        "in a window of 2 s, the first part is half: 10% less there takes 5% off the figure, the size of the "
        "differences that claims are about; in shorter ones and in those of 5 s or more it takes 2%. A beginning that "
        "is too quick is warned of from 2% of the figure on",
    ),
)
def not_warm(case: LoadCase, *, tolerance: float) -> Iterator[Finding]:
    """Loads of a contender that still gets faster: at the end of its warm-up, or in its windows, block after block.

    At most one refusal for each trial; beginnings that are too quick, or cold on purpose, once a condition.

    One window is too short to tell a slow first second from chance; those of a condition together tell it.
    """
    for trial in case.trials:
        if (rise := rise_at_the_limit(trial.engine)) is not None and trial.engine is not None:
            length = describe_seconds(round(trial.engine.warmup_seconds, 1))
            evidence = f"after {length} of warm-up, its limit, the pace still rose by {rise:.0%} at a doubling of time"
            yield finding("refusal", evidence, LONGER_LIMIT, trial=trial.index)
    for condition, trials in by_condition(case.trials).items():
        yield from _windows(case, condition, trials, tolerance)


def rise_at_the_limit(summary: EngineSummary | None) -> float | None:
    """The rise by the last doubling of the warm-up's time, where it reached its limit before the pace was flat."""
    warm_up = None if summary is None else summary.warm_up
    return None if warm_up is None else warm_up.rise_at_the_limit


def _windows(case: LoadCase, condition: str, trials: Sequence[TrialRecord], tolerance: float) -> Iterator[Finding]:
    load = case.loads.get(condition)
    if load is not None and not load.is_stationary:  # by intent, its parts are not alike
        return
    ratios = {trial.index: parts.log_ratio for trial in trials if (parts := window_parts(trial)) is not None}
    if len(ratios) < MINIMUM_BLOCKS:
        return
    interval = mean_interval(np.asarray(list(ratios.values())))
    assert interval is not None
    low, high = interval
    by = figure(math.exp(sum(ratios.values()) / len(ratios)))
    evidence = (
        f"the pace of the first {FIRST_SHARE:.0%} of the window was {by} times that of the rest "
        f"({LEVEL:.0%} interval {span((math.exp(low), math.exp(high)))}, {count(len(ratios), 'block')})"
    )
    name = case.contenders.get(condition, condition)
    if low > tolerance * _quick_share(trials):
        yield finding("warning", f"{name}: {evidence}", QUICK_FIRST, contenders=[name])
    elif high < -tolerance:
        if _is_cold_on_purpose(load):
            yield finding("note", f"{name}: {evidence}", contenders=[name])
            return
        for trial in trials:
            if trial.index in ratios and rise_at_the_limit(trial.engine) is None:
                yield finding("refusal", evidence, trial=trial.index)


def _quick_share(trials: Sequence[TrialRecord]) -> float:
    """The share of the tolerance for a beginning that is too quick: all of it where the first part is a fifth, less
    where it is more of the window, and bends the figure by as much more."""
    parts = filter(None, map(window_parts, trials))
    return min(FIRST_SHARE / max(each.first_share for each in parts), 1.0)


@dataclass(frozen=True)
class WindowParts:
    """The pace of a window's first part and of its rest: answers by the second, or one over the time of an answer."""

    first: float
    rest: float
    first_share: float
    """of the window, that the first part is"""

    @property
    def log_ratio(self) -> float:
        """The logarithm of the first part's figure over the rest's."""
        return math.log(self.first / self.rest)


def window_parts(trial: TrialRecord) -> WindowParts | None:
    """The first part and the rest of a trial's one window, if it is long enough; otherwise None.

    Of an open load, which sets the rate itself, by the medians of its seconds. None of a search for a capacity: near it
    a queue comes and goes, and of the windows at a rate one counts in which the objective held: it mostly goes.
    """
    summary = trial.engine
    if summary is None or summary.interrupted or trial.slices is not None or trial.capacity is not None:
        return None
    if summary.achieved_over_offered is not None:
        return _of_medians(summary)
    answers: Sequence[float] = [second.verified for second in summary.series[: int(summary.window_seconds)]]
    least, nothing = 1, NOTHING
    if summary.window_seconds < TENTHS_UP_TO_SECONDS and summary.tenths is not None:
        answers = summary.tenths.verified[LABS_TENTHS : int(10 * summary.window_seconds + 1e-6)]
        least, nothing = SHORTEST_TENTHS - LABS_TENTHS - 1, NOTHING / 10
    if len(answers) <= least:
        return None
    first, rest, share = _in_two(answers)
    return WindowParts(max(first, nothing), max(rest, nothing), share)


def _of_medians(summary: EngineSummary) -> WindowParts | None:
    medians = [second.p50_seconds for second in summary.series[: int(summary.window_seconds)]]
    speeds = [-math.log(median) for median in medians if median]
    if len(speeds) < max(2, len(medians)):
        return None
    first, rest, share = _in_two(speeds)
    return WindowParts(math.exp(first), math.exp(rest), share)


def _in_two(values: Sequence[float]) -> tuple[float, float, float]:
    """The means of the first part and of the rest, and the share of the first part."""
    first = max(1, int(FIRST_SHARE * len(values)))
    return sum(values[:first]) / first, sum(values[first:]) / (len(values) - first), first / len(values)


def _is_cold_on_purpose(load: Load | None) -> bool:
    """Whether the first requests are part of the figure: a number of requests without a warm-up."""
    return load is not None and load.fixed_requests is not None and load.warmup_seconds == 0
