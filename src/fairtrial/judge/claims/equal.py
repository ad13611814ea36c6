"""Two conditions whose metric differs by less than a share: an equivalence test, paired within each block."""

from fairtrial.base.formatting import bound_in_words, capitalised, count, figure
from fairtrial.experiment.claims import EqualClaim
from fairtrial.judge.claims.equality import equivalence_of_another_kind
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.longer_windows import windows_of
from fairtrial.judge.claims.more_blocks import Way, level_of_one_look, more_blocks
from fairtrial.judge.claims.proven import proven_margin
from fairtrial.judge.claims.ruling import NO_RATIO, Basis, Ruling, interval_in_words, no_ratio, result, too_few
from fairtrial.judge.claims.start_kinds import turned_by_another_kind
from fairtrial.judge.claims.values import read_values
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.equivalence import equal_within
from fairtrial.judge.statistics.estimate import Estimate

BEYOND_THE_MARGIN = "the interval reaches beyond the margin"


def judge(claim: EqualClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a claim of equality.

    Its interval is the one that decides. For *upheld* that is the one at the lower level: each of the two one-sided
    tests may err at the full rate.
    """
    metric = find_metric(claim.metric, claim.request)
    values = read_values(claim, metric, [claim.of, claim.to], evidence)
    ratios = values.ratios(claim.of, claim.to)
    bounds = (1 / (1 + claim.within), 1 + claim.within)
    on = metric.preposition
    bound = f"a ratio {bound_in_words(*bounds)}"
    ruling, estimate, level, observed, further = Ruling("undecided", values.obstacle), None, None, None, ""
    if not ratios and values.obstacle is None:
        ruling = Ruling("undecided", no_ratio(metric.label))
    elif ratios and values.refused is None:
        test = equal_within(ratios, claim.within, evidence.level, values.resolution_of_ratio(claim.of, claim.to))
        is_within = bounds[0] <= test.estimate <= bounds[1]
        deciding = test.deciding
        level = evidence.level if test.verdict == "refuted" else 2 * evidence.level - 1
        estimate = Estimate(estimate=test.estimate, interval=deciding, blocks=len(ratios))
        if values.obstacle is None:
            why = too_few(len(ratios)) if deciding is None else BEYOND_THE_MARGIN
            ruling = Ruling(test.verdict, why if test.verdict == "undecided" else None)
            beyond = equivalence_of_another_kind(test, len(ratios))
            ruling = turned_by_another_kind(ruling, Ruling(beyond.verdict), len(ratios), evidence)
        once = level_of_one_look(evidence)
        then = 2 * once - 1 if is_within else once
        further = more_blocks(
            evidence,
            [Way(estimate, bounds, level, then)],
            windows=windows_of(evidence, metric, values, claim.of, claim.to),
            proven=proven_margin(test.inner),
        )
        observed = (
            f"{capitalised(metric.label)} {on} {claim.of} was {figure(test.estimate)} times that {on} {claim.to} ("
            f"{interval_in_words(deciding, level)}, {count(len(ratios), 'block')}; "
            f"load: {evidence.loads(claim.of, claim.to)}); the claim asks for {bound}."
        )
    endings = {
        "upheld": "A repetition whose whole interval lies outside the margin would overturn it.",
        "refuted": "A repetition whose whole interval lies within the margin would overturn it.",
        "undecided": values.way_out if values.obstacle else ruling.way_out or (further if ratios else NO_RATIO),
    }
    return result(
        claim,
        ruling,
        Basis(values.blocks, estimate, level, bounds=bounds),
        subject=f"{metric.label} {on} {claim.of} / {metric.label} {on} {claim.to}",
        requirement=bound,
        observed=observed,
        ending=endings[ruling.verdict],
    )
