"""Two conditions whose metric differs by less than a share: an equivalence test, paired within each block."""

from fairtrial.base.formatting import bound_in_words, capitalised, count, figure
from fairtrial.experiment.claims import EqualClaim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ratio import loads, ratios_of
from fairtrial.judge.claims.ruling import (
    ALL_VALID,
    NO_RATIO,
    Ruling,
    interval_in_words,
    no_ratio,
    result,
    sentence,
    too_few,
)
from fairtrial.judge.claims.values import read_values
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.equivalence import equal_within
from fairtrial.judge.statistics.estimate import Estimated


def judge(claim: EqualClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a claim of equality. Its interval is the one that decides: twice the error on either side."""
    metric = find_metric(claim.metric)
    values = read_values(metric, [claim.of, claim.to], evidence, claim.baseline)
    ratios = ratios_of(values, claim.of, claim.to)
    bounds = (1 / (1 + claim.within), 1 + claim.within)
    asked = f"a ratio {bound_in_words(*bounds)}"
    ruling, estimated, seen = Ruling("undecided", values.obstacle), None, None
    if not ratios and values.obstacle is None:
        ruling = Ruling("undecided", no_ratio(metric.label))
    elif ratios and values.refused is None:
        test = equal_within(ratios, claim.within, evidence.level)
        shown = test.outer if test.finding == "refuted" else test.inner
        estimated = Estimated(test.estimate, shown, len(ratios))
        level = evidence.level if test.finding == "refuted" else 2 * evidence.level - 1
        if values.obstacle is None:
            why = too_few(len(ratios)) if shown is None else "the interval reaches beyond the margin"
            ruling = Ruling(test.finding, why if test.finding == "undecided" else None)
        interval = interval_in_words(shown, level)
        seen = (
            f"{capitalised(metric.label)} of {claim.of} was {figure(test.estimate)} times that of {claim.to} ("
            f"{interval}, {count(len(ratios), 'block')}; load: {loads(evidence, claim.of, claim.to)}); the claim "
            f"asks for {asked}."
        )
    ends = {
        "upheld": "A repetition whose whole interval lies outside the margin would overturn it.",
        "refuted": "A repetition whose whole interval lies within the margin would overturn it.",
        "undecided": ALL_VALID if values.obstacle else "More blocks may decide it." if ratios else NO_RATIO,
    }
    return result(
        claim,
        ruling,
        metric=claim.metric,
        subject=f"{metric.label} of {claim.of} / {metric.label} of {claim.to}",
        asked=asked,
        words=sentence(claim, ruling, seen, ends[ruling.verdict]),
        blocks=values.blocks,
        bounds=bounds,
        estimated=estimated,
    )
