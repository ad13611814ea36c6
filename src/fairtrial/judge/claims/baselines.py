"""A remark on what an overhead or a difference is measured from: that figure by itself, with its own interval.

Both are paired within blocks, so that their interval contains the baseline's scatter already. The remark says how large
that is: a small difference of two uncertain figures is not the same as one of two that are known well.
"""

from fairtrial.base.formatting import count, figure_in
from fairtrial.base.units import readable_unit
from fairtrial.experiment.claims import Claim, DifferenceClaim, MetricClaim
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ruling import interval_in_words
from fairtrial.judge.metrics import METRICS, OVERHEAD, Metric, find_metric
from fairtrial.judge.statistics.estimate import over_blocks


def baseline_figure(claim: Claim, evidence: Evidence) -> list[str]:
    """A sentence on the baseline of an overhead, or on what a difference is taken from; none of other claims."""
    if not isinstance(claim, MetricClaim):
        return []
    if claim.metric == OVERHEAD and claim.baseline is not None:
        return _sentence(METRICS["goodput"], claim.baseline, "the baseline", evidence)
    if isinstance(claim, DifferenceClaim) and claim.metric != OVERHEAD:
        return _sentence(find_metric(claim.metric, claim.request), claim.to, "which it is taken from", evidence)
    return []


def _sentence(metric: Metric, reference: ConditionRef, role: str, evidence: Evidence) -> list[str]:
    trials = list(evidence.of(evidence.condition(reference)).values())
    values = [value for _, value in evidence.losses.readings(metric, trials)]
    if not values:
        return []
    figure = over_blocks(values, evidence.level)
    unit = readable_unit(metric.unit, figure.estimate)
    interval = interval_in_words(
        figure.interval,
        evidence.level,
        lambda ends: f"{figure_in(ends[0], unit)} to {figure_in(ends[1], unit)}",
    )
    return [
        f"By itself, {metric.label} {metric.preposition} {reference}, {role}, was {figure_in(figure.estimate, unit)} "
        f"({interval}, {count(figure.blocks, 'block')})."
    ]
