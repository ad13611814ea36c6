"""The difference of a metric between two conditions, in the metric's unit, paired within each block."""

from statistics import median

from fairtrial.base.formatting import capitalised, figure_in
from fairtrial.experiment.claims import DifferenceClaim
from fairtrial.judge.claims.bounded import Measured, bounded_result, unit_for
from fairtrial.judge.claims.equality import equivalence_of
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.values import read_values
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import at_resolution, paired_difference


def judge(claim: DifferenceClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a difference claim."""
    metric = find_metric(claim.metric, claim.request)
    values = read_values(claim, metric, [claim.of, claim.to], evidence)
    estimate = None
    if values.blocks and values.refused is None:
        estimate = paired_difference(values.of(claim.of), values.of(claim.to), evidence.level)
        estimate = at_resolution(estimate, values.resolution_of(claim.of, claim.to))
    size = max((median(map(abs, side)) for side in values.by_condition.values() if side), default=0.0)
    unit = unit_for(claim, metric, estimate)
    on = metric.preposition
    was = "" if estimate is None else figure_in(estimate.estimate, unit)
    return bounded_result(
        claim,
        Measured(
            values,
            estimate,
            unit,
            evidence,
            evidence.loads(claim.of, claim.to),
            size=size,
            equivalence=equivalence_of(claim, values, evidence),
        ),
        subject=f"{metric.label} {on} {claim.of} - {metric.label} {on} {claim.to}",
        statement=f"{capitalised(metric.label)} {on} {claim.of} was {was} more than that {on} {claim.to}",
        no_estimate="nothing was measured",
    )
