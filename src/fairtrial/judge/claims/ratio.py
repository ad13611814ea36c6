"""The ratio of a metric between two conditions, paired within each block."""

from fairtrial.base.formatting import capitalised, figure
from fairtrial.experiment.claims import RatioClaim
from fairtrial.judge.claims.bounded import Measured, bounded_result
from fairtrial.judge.claims.equality import equivalence_of
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.longer_windows import windows_of
from fairtrial.judge.claims.ruling import NO_RATIO, no_ratio
from fairtrial.judge.claims.values import read_values
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import at_resolution, paired_ratio


def judge(claim: RatioClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a ratio claim."""
    metric = find_metric(claim.metric, claim.request)
    values = read_values(claim, metric, [claim.of, claim.to], evidence)
    ratios = values.ratios(claim.of, claim.to)
    estimate = None
    if ratios and values.refused is None:
        estimate = paired_ratio(values.of(claim.of), values.of(claim.to), evidence.level)
        estimate = at_resolution(estimate, values.resolution_of_ratio(claim.of, claim.to), is_ratio=True)
    on = metric.preposition
    was = "" if estimate is None else figure(estimate.estimate)
    return bounded_result(
        claim,
        Measured(
            values,
            estimate,
            None,
            evidence,
            evidence.loads(claim.of, claim.to),
            windows=windows_of(evidence, metric, values, claim.of, claim.to),
            equivalence=equivalence_of(claim, values, evidence),
        ),
        subject=f"{metric.label} {on} {claim.of} / {metric.label} {on} {claim.to}",
        statement=f"{capitalised(metric.label)} {on} {claim.of} was {was} times that {on} {claim.to}",
        no_estimate=no_ratio(metric.label),
        undecided=None if ratios or values.obstacle else NO_RATIO,
    )
