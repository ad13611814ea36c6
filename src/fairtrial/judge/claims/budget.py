"""A metric of one condition by itself, held against a budget."""

from fairtrial.base.formatting import capitalised, figure_in
from fairtrial.experiment.claims import BudgetClaim
from fairtrial.judge.claims.bounded import Measured, bounded_result, unit_for
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.share_of_starts import judge_share
from fairtrial.judge.claims.values import read_values
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import over_blocks


def judge(claim: BudgetClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a budget claim."""
    metric = find_metric(claim.metric, claim.request)
    values = read_values(claim, metric, [claim.of], evidence)
    figures = values.of(claim.of)
    estimate = over_blocks(figures, evidence.level) if figures and values.refused is None else None
    unit = unit_for(claim, metric, estimate)
    if claim.of_starts is not None:
        return judge_share(claim, metric, values, evidence, unit, claim.of_starts)
    was = "" if estimate is None else figure_in(estimate.estimate, unit)
    return bounded_result(
        claim,
        Measured(values, estimate, unit, evidence, evidence.loads(claim.of)),
        subject=f"{metric.label} {metric.preposition} {claim.of}",
        statement=f"{capitalised(metric.label)} {metric.preposition} {claim.of} was {was}",
        scope=" in a typical start",
        no_estimate="nothing was measured",
    )
