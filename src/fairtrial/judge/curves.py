"""A sweep as curves: for each stack its goodput along the values, and its scalability law if one fits."""

import math
from collections.abc import Mapping, Sequence

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.value import Value
from fairtrial.judge.losses import Losses, goodput_by_block
from fairtrial.judge.model import ConditionResult, Curve, Scaling
from fairtrial.judge.ranking import shared_blocks
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.scalability import PoorFit, scalability
from fairtrial.record.model import TrialRecord

SCALED = {
    "load.connections",
    "load.streams",
    "env.WEB_CONCURRENCY",
    "env.MAX_CONCURRENCY",
    "env.MAX_THREADS",
    "env.DB_POOL",
    "instances",
    "concurrency_budget",
}
"""Parameters that count workers or clients, which is what the scalability law is about."""


def curves_of(
    experiment: Experiment,
    conditions: Sequence[ConditionResult],
    valid: Mapping[str, Sequence[TrialRecord]],
    losses: Losses,
) -> list[Curve]:
    """One for each stack, of its valid points; none without a sweep."""
    sweep = experiment.sweep
    if sweep is None:
        return []
    curves = []
    for stack in experiment.stacks:
        points = _points(experiment, stack, conditions)
        measured = {at: condition for at, condition in points.items() if valid.get(condition.id)}
        rates = {at: goodput_by_block(valid[condition.id], losses) for at, condition in measured.items()}
        curves.append(
            Curve(
                stack=str(stack),
                parameter=sweep.parameter,
                title=sweep.title,
                at=list(measured),
                goodput_per_second=[condition.figures["goodput_per_second"] for condition in measured.values()],
                scaling=_scaling(experiment, len(points), {at: each for at, each in rates.items() if each}),
            )
        )
    return curves


def _points(
    experiment: Experiment, stack: StackRef, conditions: Sequence[ConditionResult]
) -> dict[Value, ConditionResult]:
    """The conditions of a stack by the sweep's value, without the repetition for the noise floor."""
    identity = (stack.name, stack.variant, experiment.service_of(stack))
    points: dict[Value, ConditionResult] = {}
    for condition in conditions:
        if condition.at is not None and (condition.stack, condition.variant, condition.service) == identity:
            points.setdefault(condition.at, condition)
    return points


def _scaling(experiment: Experiment, planned: int, rates: Mapping[Value, Mapping[int, float]]) -> Scaling | None:
    """From the goodput of each block, by the sweep's value. None where the sweep does not count workers or callers."""
    sweep = experiment.sweep
    assert sweep is not None
    if sweep.parameter not in SCALED or not sweep.is_numeric or any(at < 1 for at in sweep.numbers):
        return None
    if len(rates) < planned:
        return Scaling(refused=f"{planned - len(rates)} of {planned} points have no figures")
    values = shared_blocks({str(at): each for at, each in rates.items()})
    if not values or not all(values.values()):
        return Scaling(refused="no block has an answer at every point")
    fit = scalability([float(at) for at in rates], list(values.values()))
    if isinstance(fit, PoorFit):
        return Scaling(refused=fit.reason, miss=fit.miss)
    return Scaling(
        single_per_second=_closed(fit.single),
        contention=_closed(fit.contention),
        coherency=_closed(fit.coherency),
        peak=None if fit.peak is None else _closed(fit.peak),
        miss=fit.miss,
    )


def _closed(estimate: Estimate) -> Estimate:
    """The estimate, without an interval that is open above: JSON has no infinity."""
    interval = estimate.interval
    is_open = interval is not None and not all(map(math.isfinite, interval))
    return estimate.model_copy(update={"interval": None}) if is_open else estimate
