"""A metric of several conditions, block by block, and what stands in the way of a verdict on it.

A claim that rests on a trial that was refused or not run is undecided: the blocks that are left would be a selection.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

from fairtrial.experiment.claims import BudgetClaim, MetricClaim
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.claims.absence import LONGER_WINDOW, absence
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ruling import ALL_VALID
from fairtrial.judge.claims.tail_reach import tail_reach
from fairtrial.judge.losses import too_many
from fairtrial.judge.metrics import METRICS, OVERHEAD, Metric, is_lower_bound
from fairtrial.judge.metrics.readings import overhead_seconds
from fairtrial.judge.statistics.estimate import Resolution
from fairtrial.record.model import TrialRecord, foreign_share

AWAIT_THE_REST = "A lower rate at which all requests are answered would decide it, or a stack that answers them."
MOST_EXCESS = 0.9
"""The most of the processors' time that is reckoned with: who had less than a tenth is bent by an unknown amount."""
TO_ITS_END = "A run that comes to its end would decide it."


@dataclass(frozen=True)
class Values:
    """For each condition one value for each block in which all of them have one, in the order of the blocks."""

    by_condition: Mapping[ConditionRef, Sequence[float]]
    refused: str | None
    missing: str | None
    withheld: Finding | None = None
    """why values that there are give no verdict"""
    lower_bound: str | None = None
    """why a value is only a lower bound of the true one; None: all are exact"""
    are_bounds: Mapping[ConditionRef, Sequence[bool]] = field(default_factory=dict)
    """for each value whether it is only a lower bound; empty: none is"""
    remedy: str = ALL_VALID
    """of what is refused or missing, a sentence"""
    steps: Mapping[ConditionRef, float] = field(default_factory=dict)
    """in which a typical value was read, in the metric's unit; empty: in none that matters"""
    foreign_shares: Mapping[ConditionRef, float] = field(default_factory=dict)
    """of the server's processors, what others than the lab used in the slices of each, less what it used in those of
    the others, as a share by which its value may be read too low; below zero: too high. Empty: it bends all alike"""
    tails: Mapping[ConditionRef, float] = field(default_factory=dict)
    """by which share a typical value of each may be read too low, as slow answers came together; empty: none is"""

    def resolution_of(self, of: ConditionRef, to: ConditionRef | None = None) -> Resolution:
        """How finely the value of one condition was read, or the difference of two."""
        sides = [of] if to is None else [of, to]
        above, below = (0.0 if each is None else self._tail(each) * median(self.of(each)) for each in (of, to))
        return Resolution(sum(self.steps.get(each, 0.0) for each in sides), below, above)

    def resolution_of_ratio(self, of: ConditionRef, to: ConditionRef) -> Resolution:
        """How finely the ratio of two conditions was read."""
        return self.resolution_of_product({of: 1.0, to: -1.0})

    def resolution_of_product(self, powers: Mapping[ConditionRef, float]) -> Resolution:
        """How finely the product of the values, each to its power, was read: by their steps, and what others took of
        one more than of another, which bends it to one side. The powers add up to 0."""
        least = min((self.foreign_shares.get(each, 0.0) for each in powers), default=0.0)
        step, reach = 0.0, {True: 0.0, False: 0.0}
        for each, power in powers.items():
            excess = min(self.foreign_shares.get(each, 0.0) - least, MOST_EXCESS)
            reach[power > 0] += abs(power) * (math.log1p(self._tail(each)) - math.log1p(-excess))
            if self.steps.get(each):
                step += abs(power) * math.log1p(self.steps[each] / median(self.of(each)))
        return Resolution(math.expm1(step), below=math.expm1(reach[False]), above=math.expm1(reach[True]))

    def _tail(self, condition: ConditionRef) -> float:
        return self.tails.get(condition, 0.0)

    @property
    def obstacle(self) -> str | None:
        """Why there is no verdict, whatever the values are."""
        withholding = (
            None if self.withheld is None else f"{self.withheld.check} withholds it ({self.withheld.evidence})"
        )
        return self.refused or self.missing or withholding

    @property
    def way_out(self) -> str:
        """Where there is an obstacle, what would decide the claim."""
        if self.refused or self.missing or self.withheld is None:
            return self.remedy
        return f"To decide it, {self.withheld.remedy}."

    @property
    def blocks(self) -> int:
        """The number of blocks in which every condition has a value."""
        return min(map(len, self.by_condition.values()))

    def of(self, condition: ConditionRef) -> Sequence[float]:
        """The values of one condition."""
        return self.by_condition[condition]

    def bounds_of(self, condition: ConditionRef) -> Sequence[bool]:
        """For each value of one condition whether it is only a lower bound."""
        return self.are_bounds.get(condition, [False] * len(self.of(condition)))

    def ratios(self, of: ConditionRef, to: ConditionRef) -> Sequence[float]:
        """One ratio a block; empty if a value is not positive."""
        left, right = self.of(of), self.of(to)
        if any(value <= 0 for value in (*left, *right)):
            return []
        return [value / other for value, other in zip(left, right, strict=True)]


@dataclass(frozen=True)
class _Obstacle:
    """Why there is no value."""

    reason: str
    way_out: str = ALL_VALID
    """what would give one, a sentence"""
    is_refusal: bool = False


def read_values(claim: MetricClaim, metric: Metric, conditions: Sequence[ConditionRef], evidence: Evidence) -> Values:
    """The claim's metric of these conditions, and whether a finding withholds the verdict on them."""
    if metric.name == OVERHEAD:
        assert claim.baseline is not None
        values = _overheads(conditions, claim.baseline, evidence)
    else:
        values = values_of(metric, conditions, evidence)
    if values.lower_bound and not isinstance(claim, BudgetClaim) and not values.refused and not values.missing:
        # Of a ratio or a difference with a bound in it nothing follows, and there is none to show.
        values = replace(values, refused=values.lower_bound, remedy=AWAIT_THE_REST)
    return replace(values, withheld=evidence.withholding(claim.id))


def _overheads(conditions: Sequence[ConditionRef], baseline: ConditionRef, evidence: Evidence) -> Values:
    """The overhead of each condition over the baseline in the same block."""
    rates = values_of(METRICS["goodput"], [*conditions, baseline], evidence)
    base = rates.of(baseline)
    overheads = {
        condition: [overhead_seconds(rate, other) for rate, other in zip(rates.of(condition), base, strict=True)]
        for condition in conditions
    }
    return Values(overheads, rates.refused, rates.missing, remedy=rates.remedy)


def values_of(metric: Metric, conditions: Sequence[ConditionRef], evidence: Evidence) -> Values:
    """A metric of these conditions, whatever is asked of it."""
    trials = {condition: evidence.of(evidence.condition(condition)) for condition in conditions}
    values: dict[ConditionRef, list[float]] = {condition: [] for condition in trials}
    refused: list[_Obstacle] = []
    missing: list[_Obstacle] = []
    bounds: list[str] = []
    are_bounds: dict[ConditionRef, list[bool]] = {condition: [] for condition in trials}
    read_trials: dict[ConditionRef, list[TrialRecord]] = {condition: [] for condition in trials}
    blocks = sorted(set().union(*trials.values()))
    takings: list[Finding] = []
    for block in blocks:
        records = [each[block] for each in trials.values() if block in each]
        if late := [finding for each in records if (finding := evidence.losses.by_machine(metric, each)) is not None]:
            takings.append(late[0])  # the block counts for none of them, so that pairs stay together
            continue
        in_block: dict[ConditionRef, tuple[float, bool]] = {}
        for condition, by_block in trials.items():
            trial = by_block.get(block)
            if trial is None:
                missing.append(_Obstacle(f"block {block} holds no trial of {condition}"))
                continue
            read = _value(metric, condition, trial, evidence)
            if isinstance(read, _Obstacle):
                (refused if read.is_refusal else missing).append(read)
            else:
                is_bound = is_lower_bound(metric, trial, read)
                in_block[condition] = read, is_bound
                read_trials[condition].append(trial)
                if is_bound:
                    where = f"trial {trial.index} (block {trial.block}, {condition})"
                    bounds.append(f"in {where} the {metric.label} falls among requests that had no answer in time")
        if len(in_block) == len(trials):
            for condition, (value, is_bound) in in_block.items():
                values[condition].append(value)
                are_bounds[condition].append(is_bound)
    if len(blocks) < evidence.blocks:
        why = "the run was interrupted" if evidence.interrupted else "the record ends early"
        missing.append(_Obstacle(f"{why}: {len(blocks)} of {evidence.blocks} blocks were begun", TO_ITS_END))
    if too_many(len(takings), len(blocks)):
        first = f"{takings[0].check}: {takings[0].evidence}"
        reason = f"the {metric.label} of {len(takings)} of {len(blocks)} blocks is lost ({first})"
        missing.append(_Obstacle(reason, f"To decide it, {takings[0].remedy}."))
    tails = _medians(lambda trial: tail_reach(metric, trial), read_trials)
    missing += [_in_groups(metric, condition) for condition, tail in tails.items() if tail == math.inf]
    obstacle = next(iter([*refused, *missing]), _Obstacle(""))
    refusal, absent, bound = _first_of(refused), _first_of(missing), next(iter(bounds), None)
    return Values(
        values,
        refusal,
        absent,
        lower_bound=bound,
        are_bounds=are_bounds,
        remedy=obstacle.way_out,
        steps={} if metric.read_resolution is None else _medians(metric.read_resolution, read_trials),
        tails=tails,
        foreign_shares={
            each: foreign_share_beside(
                list(by_block.values()), metric, [evidence.condition(other).id for other in trials]
            )
            for each, by_block in trials.items()
        }
        if metric.is_bent_by_others
        else {},
    )


def _medians(
    read: Callable[[TrialRecord], float], trials: Mapping[ConditionRef, Sequence[TrialRecord]]
) -> dict[ConditionRef, float]:
    return {condition: median(map(read, records)) for condition, records in trials.items() if records}


def foreign_share_beside(trials: Sequence[TrialRecord], metric: Metric, compared: Collection[str]) -> float:
    """The processor time of others beside a condition, less what its own server and services used while those that it
    is compared with were measured beside it: of one processor, which is no less than the share of all. It makes rates
    lower, and times longer.

    Args:
        compared: the ids of all conditions of the claim.
    """
    slicings = [trial.slices for trial in trials if trial.slices is not None]
    idle = [
        each.idle_processors + each.idle_service_processors if each.is_beside(compared) else 0.0 for each in slicings
    ]
    share = foreign_share(trials, of_tails=metric.of_tail) - (fmean(idle) if idle else 0.0)
    return share if metric.higher_is_better else -share


def _in_groups(metric: Metric, condition: ConditionRef) -> _Obstacle:
    reason = f"the {metric.label} of {condition} rests on one or two groups of answers that were slow together"
    return _Obstacle(reason, LONGER_WINDOW)


def _value(metric: Metric, condition: ConditionRef, trial: TrialRecord, evidence: Evidence) -> float | _Obstacle:
    outcome = evidence.outcomes[trial.index]
    name = f"trial {trial.index} (block {trial.block}, {condition})"
    stands = bool(outcome.refusing) and outcome.refusing <= metric.despite
    if outcome.outcome != "valid" and not stands:
        is_refusal = outcome.outcome == "refused"
        return _Obstacle(f"{name} was {outcome.outcome} ({outcome.cause})", is_refusal=is_refusal)
    taking = evidence.losses.taking(metric, trial)
    if taking is not None:
        reason = f"{name} has no {metric.label} ({taking.check}: {taking.evidence})"
        return _Obstacle(reason, f"To decide it, {taking.remedy}.", is_refusal=True)
    value = metric.read(trial)
    if value is not None:
        return value
    why = absence(metric, trial)
    return _Obstacle(f"{name} {why.reason}", why.way_out, is_refusal=True)


def _first_of(obstacles: Sequence[_Obstacle]) -> str | None:
    if not obstacles:
        return None
    more = f" (and {len(obstacles) - 1} more like it)" if len(obstacles) > 1 else ""
    return obstacles[0].reason.rstrip(".") + more
