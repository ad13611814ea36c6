"""Two results of the same experiment, figure by figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairtrial.base.formatting import count
from fairtrial.judge.judging import judge_record
from fairtrial.judge.metrics import Metric
from fairtrial.judge.model import ConditionResult, Outcome, Result
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS
from fairtrial.judge.statistics.unpaired import unpaired_ratio
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.tools.compare.differences import differences

Change = Literal["regression", "improvement", "within the margin", "~", "not compared"]


@dataclass(frozen=True)
class JudgedRun:
    """The record of a run, and its result by today's checks."""

    record: ExperimentRecord
    trials: Sequence[TrialRecord]
    result: Result


@dataclass(frozen=True)
class Row:
    """One figure of one condition, before and after."""

    condition: str
    """Its id, which is the same in both results."""
    contender: str
    metric: Metric
    before: float | None
    after: float | None
    """Medians over blocks, in the metric's unit."""
    ratio: Estimate | None
    """After to before, with its interval at the comparison's level. None if it was not compared."""
    change: Change
    reason: str | None
    """Why it was not compared."""


@dataclass(frozen=True)
class Comparison:
    """All rows, and what else differs besides the programs."""

    rows: Sequence[Row]
    level: float
    """Of each row's interval: the 5% of error are divided among the rows, so that all intervals hold together in 95 of
    100 comparisons."""
    margin: float
    warnings: Sequence[str]

    @property
    def regressions(self) -> list[Row]:
        return [row for row in self.rows if row.change == "regression"]

    @property
    def not_compared(self) -> list[Row]:
        return [row for row in self.rows if row.change == "not compared"]


def judge_run(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> JudgedRun:
    """A run's record with its result, by today's checks; without the trials of blocks that were left out."""
    result = judge_record(record, trials)
    return JudgedRun(record, [trial for trial in trials if trial.block not in result.blocks_left_out], result)


def compare(before: JudgedRun, after: JudgedRun, metrics: Sequence[Metric], margin: float) -> Comparison:
    """One row for each of `metrics` and each condition that is in either result.

    A figure has regressed if it is worse by more than `margin` (0.05: 5%) and its interval excludes no change. The
    intervals' level is 1 - 5%/rows (Bonferroni), so a comparison of many figures raises no more false alarms than one
    of a single figure.
    """
    old = {condition.id: condition for condition in before.result.conditions}
    new = {condition.id: condition for condition in after.result.conditions}
    ids = list(dict.fromkeys([*old, *new]))
    level = 1 - (1 - LEVEL) / max(1, len(ids) * len(metrics))
    rows = [
        _row(identity, metric, (before, old.get(identity)), (after, new.get(identity)), level, margin)
        for identity in ids
        for metric in metrics
    ]
    return Comparison(rows, level, margin, differences(before.record, after.record))


Side = tuple[JudgedRun, ConditionResult | None]


def _row(identity: str, metric: Metric, before: Side, after: Side, level: float, margin: float) -> Row:
    known = before[1] or after[1]
    assert known is not None
    old, old_obstacle = _values(metric, *before)
    new, new_obstacle = _values(metric, *after)
    reasons = [f"{when}: {why}" for when, why in (("before", old_obstacle), ("after", new_obstacle)) if why]
    if reasons:
        return Row(identity, known.contender, metric, None, None, None, "not compared", "; ".join(reasons))
    ratio = unpaired_ratio(new, old, level)
    return Row(
        identity,
        known.contender,
        metric,
        _estimate(metric, before[1]),
        _estimate(metric, after[1]),
        ratio,
        _change(metric, ratio, margin),
        None,
    )


def _estimate(metric: Metric, condition: ConditionResult | None) -> float | None:
    figure = None if condition is None else condition.figures.get(metric.key)
    return None if figure is None else figure.estimate


def _values(metric: Metric, side: JudgedRun, condition: ConditionResult | None) -> tuple[list[float], str | None]:
    """One value a block; or none, and why."""
    if condition is None:
        return [], "no such condition"
    outcome: Outcome = condition.outcome
    if outcome != "valid":
        return [], f"{outcome} ({condition.reason})" if condition.reason else outcome
    if not metric.fits(condition.load):
        return [], f"{metric.label} is not measured under this load: {condition.load.describe()}"
    values = [metric.read(trial) for trial in side.trials if trial.condition == condition.id]
    present = [value for value in values if value is not None and value > 0]
    if len(present) < len(values) or not present:
        return [], f"{metric.label} was not measured, zero, or not supported by the sample in every block"
    if len(present) < MINIMUM_BLOCKS:
        return [], f"{count(len(present), 'block')} cannot carry an interval: at least {MINIMUM_BLOCKS} are needed"
    return present, None


def _change(metric: Metric, ratio: Estimate, margin: float) -> Change:
    assert ratio.interval is not None
    low, high = ratio.interval
    # Factors above 1 are improvements, whether higher or lower values are better.
    gain = ratio.estimate if metric.higher_is_better else 1 / ratio.estimate
    least, most = (low, high) if metric.higher_is_better else (1 / high, 1 / low)
    if gain < 1 / (1 + margin) and most < 1:
        return "regression"
    if gain > 1 + margin and least > 1:
        return "improvement"
    if 1 / (1 + margin) <= least and most <= 1 + margin:
        return "within the margin"
    return "~"
