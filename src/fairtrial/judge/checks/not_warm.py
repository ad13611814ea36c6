"""Windows whose first part differs from the rest, in block after block: the load began before the contender was warm.

One window is too short to tell a slow first second from chance. The windows of a condition are independent of each
other, and if each of them begins slowly, they tell it together.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairtrial.base.formatting import count, figure, span
from fairtrial.experiment.loads import FixedLoad
from fairtrial.judge.checks.model import Case, Check, Finding, Severity, Threshold
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS, mean_interval
from fairtrial.record.model import Condition, TrialRecord

FIRST_SHARE = 0.2
SHORTEST_SECONDS = 2
"""One for the first part, one for the rest."""
NOTHING = 0.5
"""Answers in the place of none at all, so that a part without an answer has a logarithm, and is not overlooked."""
QUICK_FIRST = (
    "the window begins faster than it goes on: look for what is used up or fills (burst credits, a turbo clock, a "
    "queue, a cache of the disk); lengthen warmup_seconds and duration_seconds"
)


def examine(case: Case) -> Iterator[Finding]:
    """At most one finding for each condition, about the experiment."""
    for condition in case.record.conditions:
        ratios = [parts.log_ratio for parts in window_parts(condition, case.trials)]
        if len(ratios) < MINIMUM_BLOCKS:
            continue
        interval = mean_interval(np.asarray(ratios))
        assert interval is not None
        low, high = interval
        if low > case.thresholds["tolerance"] or high < -case.thresholds["tolerance"]:
            by = figure(math.exp(sum(ratios) / len(ratios)))
            yield case.finding(
                None,
                _severity(condition),
                f"{condition.contender}: goodput of the first {FIRST_SHARE:.0%} of the window (at least 1 s) was {by} "
                f"times that of the rest ({LEVEL:.0%} interval {span((math.exp(low), math.exp(high)))}, "
                f"{count(len(ratios), 'block')})",
                "" if high < 0 else QUICK_FIRST,
            )


@dataclass(frozen=True)
class WindowParts:
    """Answers of a window's first part and of its rest, each by the second."""

    first: float
    rest: float

    @property
    def log_ratio(self) -> float:
        """Of the first part over the rest; a part without an answer counts as half of one a second."""
        return math.log(max(self.first, NOTHING) / max(self.rest, NOTHING))


def window_parts(condition: Condition, trials: Sequence[TrialRecord]) -> list[WindowParts]:
    """Of each trial of the condition whose server set the rate itself, in one window of two full seconds or more."""
    of_trials = (_parts(trial) for trial in trials if trial.condition == condition.id)
    return [parts for parts in of_trials if parts is not None]


def _parts(trial: TrialRecord) -> WindowParts | None:
    summary = trial.engine
    if summary is None or summary.interrupted or trial.slices is not None:
        return None
    if summary.achieved_over_offered is not None:
        return None  # an open load sets the rate
    answers = [second.verified for second in summary.series[: int(summary.window_seconds)]]
    if len(answers) < SHORTEST_SECONDS:
        return None
    seconds = max(1, int(FIRST_SHARE * len(answers)))
    first, rest = answers[:seconds], answers[seconds:]
    return WindowParts(sum(first) / len(first), sum(rest) / len(rest))


def _severity(condition: Condition) -> Severity:
    """A note where the first requests are part of the figure on purpose: a number of requests without a warm-up."""
    load = condition.load
    return "note" if isinstance(load, FixedLoad) and load.warmup_seconds == 0 else "warning"


CHECK = Check(
    name="not-warm",
    looks_at="goodput of the first fifth of each window (at least its first second) against the rest, paired within "
    "each window, over all blocks of a condition (Student's interval of the mean log ratio)",
    thresholds={
        "tolerance": Threshold(
            0.1,
            "log ratio",
            "in the shortest window, of 2 s, the first part is half: 10% less there takes 5% off the figure, the size "
            "of the differences that claims are about; in windows of 5 s or more it takes 2%",
        )
    },
    remedy="lengthen warmup_seconds: in each block the window opened before the contender was warm; or lengthen "
    "duration_seconds, so that the first part weighs less",
    examine=examine,
)
