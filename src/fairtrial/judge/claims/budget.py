"""A metric of one condition as it is, held against a budget: for a service of one's own."""

from fairtrial.base.formatting import bound_in_words, capitalised, count, span_with_unit, with_unit
from fairtrial.experiment.claims import BudgetClaim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ratio import loads
from fairtrial.judge.claims.ruling import decided_by, interval_in_words, overturned_by, result, rule_on, sentence
from fairtrial.judge.claims.values import read_values
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import over_blocks


def judge(claim: BudgetClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a budget claim."""
    metric, bounds = find_metric(claim.metric), claim.range
    values = read_values(metric, [claim.of], evidence, claim.baseline)
    figures = values.of(claim.of)
    estimated = None
    if figures and values.refused is None:
        estimated = over_blocks(figures, evidence.level)
    ruling = rule_on(values, estimated, bounds, "nothing was measured")
    asked = f"{bound_in_words(*bounds)} ({metric.unit.replace('_', ' ')})"
    seen = None
    if estimated is not None:
        shown = interval_in_words(estimated.interval, evidence.level, lambda ends: span_with_unit(ends, metric.unit))
        seen = (
            f"{capitalised(metric.label)} of {claim.of} was {with_unit(estimated.estimate, metric.unit)} "
            f"({shown}, {count(estimated.blocks, 'block')}; "
            f"load: {loads(evidence, claim.of)}); the claim asks for {asked}."
        )
    positive = figures if all(value > 0 for value in figures) else []
    return result(
        claim,
        ruling,
        metric=claim.metric,
        subject=f"{metric.label} of {claim.of}",
        asked=asked,
        words=sentence(claim, ruling, seen, overturned_by(ruling, bounds) or decided_by(values, positive, bounds)),
        blocks=values.blocks,
        bounds=bounds,
        estimated=estimated,
    )
