"""Questions: conditions that were asked the same in the same blocks, with intervals by which all of them are compared.

Let x_cb be the logarithm of a figure of contender c in block b. What slows a whole block slows all, so each value is
taken relative to the median of its block, y_cb = x_cb - median over c of x_cb. (N. Cousineau, "Confidence intervals in
within-subject designs", Tutorials in Quantitative Methods for Psychology 1 (2005), 42-45, takes the mean; a median is
not moved by one slow start.) The interval of the typical y_c is that of every figure over blocks. Of two contenders it
is the paired interval of their ratio.

With k contenders and m figures there are k·m such intervals, and as many of the figures as they are, which are held
against limits. All hold together with a probability of 95%, each at the level 1 - α / 2km (Bonferroni's inequality,
whatever the dependence), where 1 - α is the result's level: 95%, and more where the run could end at several looks, as
those share the 5% (`statistics.looks`). So a reader may choose contenders and figures after a look at them, and compare
any two: the difference lies between low_a - high_b and high_a - low_b. For few blocks that is no wider than an interval
for each of the k(k-1)/2 pairs: there are only k of them to hold.

Two kinds of starts, fast and slow by chance, are the reason for a least number of blocks: `ties.blocks_for_ranks`.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

import numpy as np

from fairtrial.experiment.stack_class import PRODUCTION
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.claims.tail_reach import tail_reach
from fairtrial.judge.claims.values import foreign_share_beside
from fairtrial.judge.losses import Losses
from fairtrial.judge.metrics import METRICS, Metric, is_lower_bound
from fairtrial.judge.metrics.metric import kinds_of
from fairtrial.judge.model import ConditionResult, Result
from fairtrial.judge.statistics.estimate import Estimate, Resolution, at_resolution
from fairtrial.judge.statistics.lower_bounds import over_blocks_bounded
from fairtrial.judge.statistics.planning import narrowings
from fairtrial.judge.statistics.student import MINIMUM_BLOCKS
from fairtrial.judge.statistics.ties import blocks_for_ranks
from fairtrial.record.model import ExperimentRecord, TrialRecord, by_condition
from fairtrial.report import columns

MOST_BENT = 0.9
"""Of the processors' time, as in claims: who had less than a tenth of it is bent by more than anybody could say."""

COMPARED = {
    metric.key: metric
    for metric in METRICS.values()
    if metric.key in {column.key for column in (columns.GOODPUT, *columns.ALWAYS, columns.START_AND_MEMORY[0])}
    and metric.name != "response_time_max"  # the slowest answer of all has no typical block
}
"""By their keys, the metrics that contenders can be chosen by."""
COLUMNS = {
    column.key: column
    for column in (columns.GOODPUT, *columns.ALWAYS, *columns.START_AND_MEMORY)
    if column.key in COMPARED
}


@dataclass(frozen=True)
class QuestionFigure:
    """A figure of a contender, in its metric's unit."""

    estimate: float
    """adjusted for the blocks, as its interval"""
    low: float
    high: float | None
    """None: it may reach any further"""
    own: float
    """as it is, with an interval to be held against a limit"""
    own_low: float
    own_high: float | None
    blocks: int
    """that it rests on; over machines, how many of these"""
    disagreeing: int = 0
    """over machines, how many are no draw from what the others say"""


@dataclass(frozen=True)
class Question:
    """A question that was put to several contenders in the same blocks."""

    alike: tuple[str, ...]
    """what its conditions have in common, and no other question of one experiment"""
    in_words: str
    level: float
    """of each interval"""
    blocks: int
    """the fewest that a figure rests on"""
    least_blocks: int
    """below which nothing is told apart"""
    narrowings: Sequence[tuple[int, float]]
    """numbers of blocks, and how wide intervals would then be, times what they are"""
    figures: Mapping[str, Mapping[str, QuestionFigure]]
    """by condition id and key; where one is missing, it cannot be compared"""
    durable: Mapping[str, str]
    """by condition id, whether a commit was on the disk when it was answered"""


def questions_of(record: ExperimentRecord, result: Result, trials: Sequence[TrialRecord]) -> list[Question]:
    """The questions of a result, in the order of its conditions."""
    findings: dict[int | None, list[Finding]] = {
        trial.index: trial.findings for each in result.conditions for trial in each.trials
    }
    outcomes = {trial.index: trial.outcome for each in result.conditions for trial in each.trials}
    losses, left_out = Losses.of(findings), set(result.blocks_left_out)
    valid = by_condition(
        [trial for trial in trials if trial.block not in left_out and outcomes.get(trial.index) == "valid"]
    )
    again = {condition.id for condition in record.conditions if condition.again}
    alike: dict[tuple[str, ...], list[ConditionResult]] = defaultdict(list)
    for condition in result.conditions:
        if condition.id not in again:
            alike[_alike(condition)].append(condition)
    of_condition = by_condition(trials)
    return [
        _question(
            conditions,
            {each.id: valid.get(each.id, []) for each in conditions if each.outcome == "valid"},
            losses,
            {each.id: _durable(of_condition.get(each.id, [])) for each in conditions},
            result.level,
            key,
        )
        for key, conditions in alike.items()
    ]


def _alike(condition: ConditionResult) -> tuple[str, ...]:
    """The key that comparable conditions share. The reader chooses the database."""
    load, distances = condition.load.model_dump_json(), str(sorted(condition.distances.items()))
    return condition.workload, load, distances, str(condition.at), condition.stack_class


def _question(
    conditions: Sequence[ConditionResult],
    valid: Mapping[str, Sequence[TrialRecord]],
    losses: Losses,
    durable: Mapping[str, str],
    level_of_all: float,
    alike: tuple[str, ...],
) -> Question:
    first = conditions[0]
    words = [first.workload, first.load.describe()]
    words += [f"at {first.at}"] if first.at is not None else []
    words += [f"class {first.stack_class}"] if first.stack_class != PRODUCTION else []
    read = {key: values for key, metric in COMPARED.items() if (values := _values(metric, valid, losses))}
    level = 1 - (1 - level_of_all) / (2 * max(1, sum(len(values) for values in read.values())))
    figures: dict[str, dict[str, QuestionFigure]] = {each.id: {} for each in conditions}
    blocks = []
    for key, values in read.items():
        compared = compare(values, level, _resolutions(COMPARED[key], values, valid))
        blocks += [min(len(each) for each in values.values())] if compared else []
        for condition, figure in compared.items():
            figures[condition][key] = figure
    fewest = min(blocks, default=0)
    return Question(
        alike=alike,
        in_words="; ".join(words),
        level=level,
        blocks=fewest,
        least_blocks=blocks_for_ranks(max((len(values) for values in read.values()), default=1), level_of_all),
        narrowings=narrowings(fewest, level) if fewest >= MINIMUM_BLOCKS else [],
        figures=figures,
        durable=durable,
    )


Values = Mapping[int, tuple[float, bool]]
"""By block, a contender's figure, and whether it is a lower bound of the true one."""


def _values(metric: Metric, valid: Mapping[str, Sequence[TrialRecord]], losses: Losses) -> Mapping[str, Values]:
    """By condition, those of the blocks that all of them share; empty if it was read in different ways, or in too few.

    Where conditions share too few blocks, those with the fewest have no figure, so that the others have theirs.
    """
    if len(kinds_of(metric, (trial for trials in valid.values() for trial in trials))) > 1:
        return {}
    by_id: dict[str, Values] = {}
    for condition, trials in valid.items():
        readings = losses.readings(metric, trials)
        if readings and all(value > 0 for _, value in readings):
            by_id[condition] = {trial.block: (value, is_lower_bound(metric, trial, value)) for trial, value in readings}
    return shared_by_all(by_id, MINIMUM_BLOCKS)


Place = TypeVar("Place", int, str)
Value = TypeVar("Value")


def shared_by_all(by_id: Mapping[str, Mapping[Place, Value]], least: int) -> dict[str, dict[Place, Value]]:
    """Each condition's values at the places that all have. Conditions with the fewest are left out until these are
    `least` or more."""
    rest = dict(by_id)
    shared: set[Place] = set()
    while rest and len(shared := set.intersection(*map(set, rest.values()))) < least:
        del rest[min(rest, key=lambda condition: len(rest[condition]))]
    return {condition: {place: values[place] for place in sorted(shared)} for condition, values in rest.items()}


def compare(
    values: Mapping[str, Values], level: float, resolutions: Mapping[str, Resolution] | None = None
) -> dict[str, QuestionFigure]:
    """A figure of each contender with its intervals at this level.

    Args:
        values: positive, all of the same blocks, three at least.
        resolutions: how finely they were read; those whose reach is infinite have no figure.
    """
    logs = np.log([[value for value, _ in each.values()] for each in values.values()])
    of_block = np.median(logs, axis=0) if len(values) > 1 else np.zeros(logs.shape[1])
    adjusted = np.exp(logs - of_block + np.median(of_block))
    figures = {}
    for (name, own), relative in zip(values.items(), adjusted, strict=True):
        resolution = (resolutions or {}).get(name, Resolution())
        if math.isinf(resolution.above):
            continue
        bounds = [is_bound for _, is_bound in own.values()]
        to_others = at_resolution(over_blocks_bounded(relative.tolist(), bounds, level), resolution, is_ratio=True)
        as_it_is = [value for value, _ in own.values()]
        alone = at_resolution(over_blocks_bounded(as_it_is, bounds, level), resolution, is_ratio=True)
        figures[name] = QuestionFigure(to_others.estimate, *_ends(to_others), alone.estimate, *_ends(alone), len(own))
    return figures


def _ends(estimate: Estimate) -> tuple[float, float | None]:
    assert estimate.interval is not None
    low, high = estimate.interval
    return low, None if estimate.open_above or math.isinf(high) else high


def _resolutions(
    metric: Metric, values: Mapping[str, Values], valid: Mapping[str, Sequence[TrialRecord]]
) -> dict[str, Resolution]:
    """As claims have them: the step of the reading, slow answers that came together, and what others than the lab took
    of a contender's processors, beyond what they took of all."""
    shares = {each: _bent(metric, valid[each], values) for each in values}
    least = min(shares.values())
    return {
        each: Resolution(
            _step(metric, valid[each], values[each]),
            above=(1 + median(tail_reach(metric, trial) for trial in valid[each]))
            / (1 - min(shares[each] - least, MOST_BENT))
            - 1,
        )
        for each in values
    }


def _bent(metric: Metric, trials: Sequence[TrialRecord], compared: Collection[str]) -> float:
    return foreign_share_beside(trials, metric, compared) if metric.is_bent_by_others else 0.0


def _step(metric: Metric, trials: Sequence[TrialRecord], values: Values) -> float:
    if metric.read_resolution is None:
        return 0.0
    return median(map(metric.read_resolution, trials)) / median(value for value, _ in values.values())


def _durable(trials: Sequence[TrialRecord]) -> str:
    accounts = [trial.durability for trial in trials if trial.durability is not None]
    if not accounts:
        return ""
    return "yes" if all(each.promised and not each.changed and not each.relaxed for each in accounts) else "no"
