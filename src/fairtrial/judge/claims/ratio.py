"""The ratio of a metric between two conditions, paired within each block."""

from collections.abc import Sequence

from fairtrial.base.formatting import bound_in_words, capitalised, count, figure
from fairtrial.experiment.claims import RatioClaim
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ruling import (
    NO_RATIO,
    decided_by,
    interval_in_words,
    no_ratio,
    overturned_by,
    result,
    rule_on,
    sentence,
)
from fairtrial.judge.claims.values import Values, read_values
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import paired_ratio


def judge(claim: RatioClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a ratio claim."""
    metric, bounds = find_metric(claim.metric), claim.range
    values = read_values(metric, [claim.of, claim.to], evidence, claim.baseline)
    ratios = ratios_of(values, claim.of, claim.to)
    estimated = None
    if ratios and values.refused is None:
        estimated = paired_ratio(values.of(claim.of), values.of(claim.to), evidence.level)
    ruling = rule_on(values, estimated, bounds, no_ratio(metric.label))
    asked = bound_in_words(*bounds)
    seen = None
    if estimated is not None:
        interval = interval_in_words(estimated.interval, evidence.level)
        seen = (
            f"{capitalised(metric.label)} of {claim.of} was {figure(estimated.estimate)} times that of {claim.to} "
            f"({interval}, {count(estimated.blocks, 'block')}; load: {loads(evidence, claim.of, claim.to)}); "
            f"the claim asks for {asked}."
        )
    undecided = decided_by(values, ratios, bounds) if ratios or values.obstacle else NO_RATIO
    end = overturned_by(ruling, bounds) or undecided
    return result(
        claim,
        ruling,
        metric=claim.metric,
        subject=f"{metric.label} of {claim.of} / {metric.label} of {claim.to}",
        asked=asked,
        words=sentence(claim, ruling, seen, end),
        blocks=values.blocks,
        bounds=bounds,
        estimated=estimated,
    )


def ratios_of(values: Values, of: object, to: object) -> Sequence[float]:
    """One ratio a block; empty if a value is not positive."""
    left, right = values.of(of), values.of(to)
    if any(value <= 0 for value in (*left, *right)):
        return []
    return [one / other for one, other in zip(left, right, strict=True)]


def loads(evidence: Evidence, *contenders: ConditionRef) -> str:
    """The loads under which they were tried: one, if it is the same for all."""
    different = dict.fromkeys(evidence.condition(one).load.describe() for one in contenders)
    return " against ".join(different)
