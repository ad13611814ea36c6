"""Results of the same experiment before and after a change, figure by figure: one run on each side, or several.

Blocks of one run share its moment of the machine. Where there are several runs on each side, what moves a whole run is
in the figures: then the run is the unit, and its value the median over its blocks (T. Kalibera and R. Jones, "Rigorous
benchmarking in reasonable time", ISMM 2013: the unit is the highest level that varies). Where there is one, a spread of
whole runs is taken as given.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Literal

from fairtrial.base.formatting import count
from fairtrial.judge.judging import judge_record
from fairtrial.judge.losses import Losses
from fairtrial.judge.metrics import Metric, is_lower_bound
from fairtrial.judge.metrics.metric import kinds_of
from fairtrial.judge.model import ConditionResult, Outcome, Result
from fairtrial.judge.statistics.estimate import Estimate, over_blocks
from fairtrial.judge.statistics.holm import step_down
from fairtrial.judge.statistics.lower_bounds import over_blocks_bounded
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS
from fairtrial.judge.statistics.unpaired import between_runs, unpaired_ratio
from fairtrial.record.model import ExperimentRecord, TrialRecord, by_condition
from fairtrial.tools.compare.differences import changed_settings

Change = Literal["regression", "improvement", "within the margin", "~", "not compared"]
Bounds = Literal["none", "some", "median"]
"""Which of a side's values are lower bounds, as they fall among times whose end nobody awaited: none; some, so that the
interval of the ratio is open; or so many that the median is one, too."""


@dataclass(frozen=True)
class JudgedRun:
    """The record of a run, and its result by today's checks."""

    record: ExperimentRecord
    trials: Sequence[TrialRecord]
    result: Result

    @cached_property
    def _by_condition(self) -> Mapping[str, Sequence[TrialRecord]]:
        return by_condition(self.trials)

    def trials_of(self, condition: str) -> Sequence[TrialRecord]:
        """Those of the condition with this id."""
        return self._by_condition.get(condition, ())


@dataclass(frozen=True)
class FigureRow:
    """One figure of one condition, before and after."""

    condition: str
    """Its id, which is the same in both results."""
    contender: str
    metric: Metric
    before: float | None
    after: float | None
    """Medians over blocks, in the metric's unit."""
    ratio: Estimate | None
    """After to before, with its interval at `level`. None if it was not compared."""
    change: Change
    reason: str | None
    """Why it was not compared."""
    bounds: tuple[Bounds, Bounds] = ("none", "none")
    """Bounds among the values before and after."""
    level: float | None = None
    """The level of the interval, by Holm's procedure: 0.995 is 99.5%. None if it was not compared."""

    @property
    def reach(self) -> tuple[float, float]:
        """The interval of the ratio. With lower bounds before the change it may reach down to 0; after it, without end.

        (-inf, inf) if it was not compared.
        """
        if self.ratio is None or self.ratio.interval is None:
            return -math.inf, math.inf
        low, high = self.ratio.interval
        return low if self.bounds[0] == "none" else 0.0, high if self.bounds[1] == "none" else math.inf

    @property
    def excludes_no_change(self) -> bool:
        """Whether the interval is on one side of 1."""
        low, high = self.reach
        return high < 1 or low > 1


@dataclass(frozen=True)
class _Side:
    """One value a block of the one run, or one a run."""

    values: Sequence[float]
    are_bounds: Sequence[bool]

    @property
    def bounds(self) -> Bounds:
        if not any(self.are_bounds):
            return "none"
        return "median" if over_blocks_bounded(self.values, self.are_bounds).is_lower_bound else "some"


_NOTHING = _Side((), ())


@dataclass(frozen=True)
class _Pair:
    """Both sides of a row, each with the reason why it cannot be compared."""

    condition: str
    contender: str
    metric: Metric
    of_before: tuple[_Side, str | None]
    of_after: tuple[_Side, str | None]
    unlike: str
    """why what was measured on one side is something else than on the other; empty: it is not"""

    @property
    def before(self) -> _Side:
        return self.of_before[0]

    @property
    def after(self) -> _Side:
        return self.of_after[0]

    @property
    def reasons(self) -> list[str]:
        obstacles = (("before", self.of_before[1]), ("after", self.of_after[1]))
        reasons = [f"{when}: {why}" for when, why in obstacles if why]
        return reasons or ([self.unlike] if self.unlike else [])


@dataclass(frozen=True)
class RunComparison:
    """All rows, and what else differs besides the programs."""

    rows: Sequence[FigureRow]
    level: float
    """At which all changes hold together: 0.95, in 95 of 100 comparisons none is named where there is none."""
    margin: float
    runs: tuple[int, int]
    """before and after"""
    run_spread: float
    """the scatter of whole runs, as a share, which the intervals of single ones contain; 0: there are several"""
    warnings: Sequence[str]

    @property
    def regressions(self) -> list[FigureRow]:
        return [row for row in self.rows if row.change == "regression"]

    @property
    def not_compared(self) -> list[FigureRow]:
        return [row for row in self.rows if row.change == "not compared"]


def judge_run(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> JudgedRun:
    """A run's record with its result, by today's checks; without the trials of blocks that were left out."""
    result = judge_record(record, trials)
    return JudgedRun(record, [trial for trial in trials if trial.block not in result.blocks_left_out], result)


def compare_runs(
    before: Sequence[JudgedRun],
    after: Sequence[JudgedRun],
    metrics: Sequence[Metric],
    margin: float,
    run_spread: float,
) -> RunComparison:
    """One row for each of `metrics` and each condition that is in a run of either side.

    A figure has regressed if it is worse by more than `margin` (0.05: 5%) and its interval excludes no change. Whether
    it does is decided for all rows together by Holm's procedure, so that a comparison of many figures raises no more
    false alarms than one of a single figure.

    Args:
        before: one run, whose blocks are the values; or several, each of which is one.
        after: likewise; several if `before` has several.
        run_spread: of single runs, by what share a whole run is moved, as a standard deviation.
    """
    spread = run_spread if len(before) == 1 else 0.0
    contenders = {condition.id: condition.contender for run in (*before, *after) for condition in run.result.conditions}
    pairs = [
        _Pair(
            identity,
            contender,
            metric,
            _side(metric, before, identity),
            _side(metric, after, identity),
            _unlike(metric, before, after, identity),
        )
        for identity, contender in contenders.items()
        for metric in metrics
    ]
    comparable = [pair for pair in pairs if not pair.reasons]
    # What is proven to be within the margin is no decision against "no change": it leaves the others' level alone.
    judged = step_down(
        comparable, LEVEL, lambda pair, level, _: _row(pair, level, margin, spread), lambda row: row.excludes_no_change
    )
    by_pair = {id(pair): row for pair, row in zip(comparable, judged, strict=True)}
    rows = [by_pair.get(id(pair)) or _not_compared(pair) for pair in pairs]
    warnings = [warning for old, new in product(before, after) for warning in changed_settings(old.record, new.record)]
    return RunComparison(rows, LEVEL, margin, (len(before), len(after)), spread, list(dict.fromkeys(warnings)))


def _row(pair: _Pair, level: float, margin: float, spread: float) -> FigureRow:
    old, new = pair.before, pair.after
    row = FigureRow(
        condition=pair.condition,
        contender=pair.contender,
        metric=pair.metric,
        before=over_blocks(old.values).estimate,
        after=over_blocks(new.values).estimate,
        ratio=between_runs(unpaired_ratio(new.values, old.values, level), spread, level),
        change="~",
        reason=None,
        bounds=(old.bounds, new.bounds),
        level=level,
    )
    return replace(row, change=_change(row, margin))


def _not_compared(pair: _Pair) -> FigureRow:
    reason = "; ".join(pair.reasons)
    return FigureRow(pair.condition, pair.contender, pair.metric, None, None, None, "not compared", reason)


def _side(metric: Metric, runs: Sequence[JudgedRun], identity: str) -> tuple[_Side, str | None]:
    """The values of one side; or none, and why."""
    values: list[float] = []
    are_bounds: list[bool] = []
    for number, run in enumerate(runs, 1):
        condition = next((each for each in run.result.conditions if each.id == identity), None)
        of_run, obstacle = _values(metric, run, condition)
        if obstacle:
            return _NOTHING, obstacle if len(runs) == 1 else f"run {number}: {obstacle}"
        if len(runs) == 1:
            return _if_enough(of_run, "block")
        typical = over_blocks_bounded(of_run.values, of_run.are_bounds)
        values.append(typical.estimate)
        are_bounds.append(typical.is_lower_bound)
    return _if_enough(_Side(values, are_bounds), "run")


def _unlike(metric: Metric, before: Sequence[JudgedRun], after: Sequence[JudgedRun], identity: str) -> str:
    """Why a figure was read otherwise on one side than on the other; empty: it was not."""
    old, new = (
        kinds_of(metric, [trial for run in runs for trial in run.trials_of(identity)]) for runs in (before, after)
    )
    if old == new and len(old) < 2:
        return ""
    return f"{metric.label} is {' and '.join(sorted(old))} before and {' and '.join(sorted(new))} after"


def _if_enough(side: _Side, unit: str) -> tuple[_Side, str | None]:
    if len(side.values) < MINIMUM_BLOCKS:
        size = count(len(side.values), unit)
        return _NOTHING, f"{size} cannot carry an interval: at least {MINIMUM_BLOCKS} are needed"
    return side, None


def _values(metric: Metric, run: JudgedRun, condition: ConditionResult | None) -> tuple[_Side, str | None]:
    """One value a block; or none, and why."""
    if condition is None:
        return _NOTHING, "no such condition"
    outcome: Outcome = condition.outcome
    if outcome != "valid":
        return _NOTHING, f"{outcome} ({condition.reason})" if condition.reason else outcome
    if not metric.fits(condition.load):
        return _NOTHING, f"{metric.label} is not measured under this load: {condition.load.describe()}"
    trials = run.trials_of(condition.id)
    losses = Losses.of({trial.index: trial.findings for trial in condition.trials})
    readings = losses.readings(metric, trials)
    if not readings and (taking := next(filter(None, (losses.taking(metric, trial) for trial in trials)), None)):
        return _NOTHING, f"{metric.label} is not known ({taking.check}: {taking.evidence})"
    if not readings or any(value <= 0 for _, value in readings):
        return _NOTHING, f"{metric.label} was not measured, zero, or not supported by the sample in every block"
    are_bounds = [is_lower_bound(metric, trial, value) for trial, value in readings]
    return _Side([value for _, value in readings], are_bounds), None


def _change(row: FigureRow, margin: float) -> Change:
    """The change that the interval shows."""
    assert row.ratio is not None
    low, high = row.reach
    # Factors above 1 are improvements, whether higher or lower values are better.
    better_above = row.metric.higher_is_better
    gain = row.ratio.estimate if better_above else 1 / row.ratio.estimate
    least, most = (low, high) if better_above else (1 / high, 1 / low if low else math.inf)
    if gain < 1 / (1 + margin) and most < 1:
        return "regression"
    if gain > 1 + margin and least > 1:
        return "improvement"
    if 1 / (1 + margin) <= least and most <= 1 + margin:
        return "within the margin"
    return "~"
