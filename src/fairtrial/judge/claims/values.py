"""A metric of several conditions, block by block, and what stands in the way of a verdict on it.

A claim that rests on a trial that was refused or not run is undecided: the blocks that are left would be a selection.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.metrics import METRICS, OVERHEAD, Metric
from fairtrial.record.model import Condition, TrialRecord


@dataclass(frozen=True)
class Values:
    """By contender, one value for each block in which all of them have one, in the order of the blocks."""

    by_contender: Mapping[str, Sequence[float]]
    refused: str | None
    missing: str | None

    @property
    def obstacle(self) -> str | None:
        """Why there is no verdict, whatever the values say."""
        return self.refused or self.missing

    @property
    def blocks(self) -> int:
        """In how many blocks all of them have a value."""
        return min(map(len, self.by_contender.values()))

    def of(self, contender: object) -> Sequence[float]:
        """The values of one contender."""
        return self.by_contender[str(contender)]


def read_values(
    metric: Metric, contenders: Sequence[object], evidence: Evidence, baseline: object | None = None
) -> Values:
    """The metric of these contenders; `baseline` is the one that the metric overhead is over."""
    if metric.name == OVERHEAD:
        return _overheads(contenders, baseline, evidence)
    return _read(metric, [evidence.condition(one) for one in contenders], evidence)


def _overheads(contenders: Sequence[object], baseline: object | None, evidence: Evidence) -> Values:
    """Seconds a request in excess of the baseline's in the same block: 1/goodput less 1/goodput of the baseline.

    In a closed load with as many connections that is what the contender adds to each request, in throughput's terms.
    """
    conditions = [evidence.condition(one) for one in (*contenders, baseline)]
    rates = _read(METRICS["goodput"], conditions, evidence)
    base = rates.of(baseline)
    over = {
        str(one): [1 / rate - 1 / other for rate, other in zip(rates.of(one), base, strict=True)] for one in contenders
    }
    return Values(over, rates.refused, rates.missing)


def _read(metric: Metric, conditions: Sequence[Condition], evidence: Evidence) -> Values:
    trials = {condition.contender: evidence.of(condition) for condition in conditions}
    values: dict[str, list[float]] = {name: [] for name in trials}
    refused: list[str] = []
    missing: list[str] = []
    blocks = sorted(set().union(*trials.values()))
    for block in blocks:
        found: dict[str, float] = {}
        for name, by_block in trials.items():
            trial = by_block.get(block)
            if trial is None:
                missing.append(f"block {block} holds no trial of {name}")
                continue
            value, obstacle, was_refused = _value(metric, name, trial, evidence)
            if value is not None:
                found[name] = value
            else:
                (refused if was_refused else missing).append(obstacle)
        if len(found) == len(trials):
            for name, value in found.items():
                values[name].append(value)
    if len(blocks) < evidence.blocks:
        why = "the run was interrupted" if evidence.interrupted else "the record ends early"
        missing.append(f"{why}: {len(blocks)} of {evidence.blocks} blocks were begun")
    return Values(values, _first_of(refused), _first_of(missing))


def _value(metric: Metric, contender: str, trial: TrialRecord, evidence: Evidence) -> tuple[float | None, str, bool]:
    """The metric's value, or why there is none and whether that is a refusal."""
    outcome = evidence.outcomes[trial.index]
    name = f"trial {trial.index} (block {trial.block}, {contender})"
    stands = bool(outcome.refusing) and outcome.refusing <= metric.despite
    if outcome.outcome != "valid" and not stands:
        return None, f"{name} was {outcome.outcome} ({outcome.cause})", outcome.outcome == "refused"
    value = metric.read(trial)
    if value is None:
        return None, f"{name} has too few samples for {metric.label}", True
    return value, "", False


def _first_of(obstacles: Sequence[str]) -> str | None:
    if not obstacles:
        return None
    more = f" (and {len(obstacles) - 1} more like it)" if len(obstacles) > 1 else ""
    return obstacles[0].rstrip(".") + more
