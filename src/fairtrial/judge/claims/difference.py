"""The difference of a metric between two conditions, in the metric's unit, paired within each block."""

from fairtrial.base.formatting import bound_in_words, capitalised, count, span_with_unit, with_unit
from fairtrial.experiment.claims import DifferenceClaim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ratio import loads
from fairtrial.judge.claims.ruling import ALL_VALID, interval_in_words, overturned_by, result, rule_on, sentence
from fairtrial.judge.claims.values import read_values
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import paired_difference


def judge(claim: DifferenceClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a difference claim."""
    metric, bounds = find_metric(claim.metric), claim.range
    values = read_values(metric, [claim.of, claim.to], evidence, claim.baseline)
    estimated = None
    if values.blocks and values.refused is None:
        estimated = paired_difference(values.of(claim.of), values.of(claim.to), evidence.level)
    ruling = rule_on(values, estimated, bounds, "nothing was measured")
    asked = f"{bound_in_words(*bounds)} ({metric.unit.replace('_', ' ')})"
    seen = None
    if estimated is not None:
        shown = interval_in_words(estimated.interval, evidence.level, lambda ends: span_with_unit(ends, metric.unit))
        seen = (
            f"{capitalised(metric.label)} of {claim.of} was {with_unit(estimated.estimate, metric.unit)} more than "
            f"that of {claim.to} ({shown}, {count(estimated.blocks, 'block')}; "
            f"load: {loads(evidence, claim.of, claim.to)}); the claim asks for {asked}."
        )
    undecided = ALL_VALID if values.obstacle else "More blocks may decide it."
    return result(
        claim,
        ruling,
        metric=claim.metric,
        subject=f"{metric.label} of {claim.of} - {metric.label} of {claim.to}",
        asked=asked,
        words=sentence(claim, ruling, seen, overturned_by(ruling, bounds) or undecided),
        blocks=values.blocks,
        bounds=bounds,
        estimated=estimated,
    )
