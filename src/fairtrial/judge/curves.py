"""A sweep as curves: for each stack its goodput along the values, and the law that it follows, if it follows one."""

import math
from collections.abc import Mapping, Sequence

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.value import Value, shown
from fairtrial.judge.model import ConditionResult, Curve, Estimate, Scaling
from fairtrial.judge.ranking import goodput_by_block, shared_blocks
from fairtrial.judge.statistics.estimate import Estimated
from fairtrial.judge.statistics.scalability import PoorFit, scalability
from fairtrial.record.model import TrialRecord

SCALED = {"load.connections", "env.WEB_CONCURRENCY", "env.MAX_THREADS", "env.DB_POOL", "instances"}
"""Parameters that count workers or callers: the law is one of those."""


def curves_of(
    experiment: Experiment, conditions: Sequence[ConditionResult], valid: Mapping[str, Sequence[TrialRecord]]
) -> list[Curve]:
    """One for each stack, of its valid points; none without a sweep."""
    sweep = experiment.sweep
    if sweep is None:
        return []
    found = []
    for stack in map(str, experiment.stacks):
        points = {
            condition.at: condition
            for condition in conditions
            if condition.at is not None and condition.contender == f"{stack} at {shown(condition.at)}"
        }
        good = {at: one for at, one in points.items() if valid.get(one.id)}
        found.append(
            Curve(
                stack=stack,
                parameter=sweep.parameter,
                title=sweep.title,
                at=list(good),
                goodput_per_second=[one.figures["goodput_per_second"] for one in good.values()],
                scaling=_scaling(experiment, len(points), {at: valid[one.id] for at, one in good.items()}),
            )
        )
    return found


def _scaling(experiment: Experiment, planned: int, valid: Mapping[Value, Sequence[TrialRecord]]) -> Scaling | None:
    """None where the sweep does not count workers or callers."""
    sweep = experiment.sweep
    assert sweep is not None
    if sweep.parameter not in SCALED or not sweep.is_numeric or any(at < 1 for at in sweep.numbers):
        return None
    if len(valid) < planned:
        return Scaling(refused=f"{planned - len(valid)} of {planned} points have no figures")
    values = shared_blocks({str(at): goodput_by_block(trials) for at, trials in valid.items()})
    if not values or not all(values.values()):
        return Scaling(refused="no block has an answer at every point")
    fit = scalability([float(at) for at in valid], list(values.values()))
    if isinstance(fit, PoorFit):
        return Scaling(refused=fit.reason, miss=fit.miss)
    return Scaling(
        single_per_second=_estimate(fit.single),
        contention=_estimate(fit.contention),
        coherency=_estimate(fit.coherency),
        peak=None if fit.peak is None else _estimate(fit.peak),
        miss=fit.miss,
    )


def _estimate(found: Estimated) -> Estimate:
    interval = found.interval if found.interval is None or all(map(math.isfinite, found.interval)) else None
    return Estimate(estimate=found.estimate, interval=interval, blocks=found.blocks)
