"""Several conditions, the best by a metric first.

Upheld if each is proven better than the next: all of these tests have to succeed, so that none needs a correction for
their number (R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982),
295-300: intersection-union tests). Refuted if any is proven worse than the next; here one success is enough, so that
the level is divided among the pairs (Bonferroni).
"""

from fairtrial.base.formatting import capitalised, count, figure
from fairtrial.experiment.claims import OrderClaim
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
from fairtrial.judge.statistics.estimate import Estimated, paired_ratio


def judge(claim: OrderClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on an order claim. Its estimate is that of the least certain step."""
    metric = find_metric(claim.metric)
    values = read_values(metric, claim.order, evidence, claim.baseline)
    steps = list(zip(claim.order, claim.order[1:], strict=False))
    ahead: list[Estimated] = []
    reversed_at: list[Estimated] = []
    for one, other in steps if values.refused is None else ():
        better, worse = (one, other) if metric.higher_is_better else (other, one)
        if not ratios_of(values, better, worse):
            break
        strict = 1 - (1 - evidence.level) / len(steps)
        for level, into in ((evidence.level, ahead), (strict, reversed_at)):
            into.append(paired_ratio(values.of(better), values.of(worse), level))
    complete = len(ahead) == len(steps)
    ruling = _ruling(claim, values.obstacle, ahead if complete else [], reversed_at, values.blocks, metric.label)
    weakest = min(range(len(ahead)), key=lambda at: ahead[at].interval or (0.0, 0.0)) if complete else None
    seen, end = None, ALL_VALID if values.obstacle else NO_RATIO
    if weakest is not None:
        estimated = ahead[weakest]
        one, other = steps[weakest]
        shown = interval_in_words(estimated.interval, evidence.level)
        seen = (
            f"The least certain step is that of {one} before {other}: {metric.label} was better by a factor of "
            f"{figure(estimated.estimate)} ({shown}, {count(estimated.blocks, 'block')}; "
            f"load: {loads(evidence, *claim.order)})."
        )
        end = {
            "upheld": "A repetition in which one is proven worse than the next would overturn it.",
            "refuted": "A repetition in which each is proven better than the next would overturn it.",
            "undecided": "More blocks may decide it.",
        }[ruling.verdict]
    asked = " before ".join(map(str, claim.order))
    return result(
        claim,
        ruling,
        metric=claim.metric,
        subject=f"{capitalised(metric.label)}: {asked}",
        asked=asked,
        words=sentence(claim, ruling, seen, end),
        blocks=values.blocks,
        estimated=None if weakest is None else ahead[weakest],
    )


def _ruling(
    claim: OrderClaim,
    obstacle: str | None,
    ahead: list[Estimated],
    strictly: list[Estimated],
    blocks: int,
    label: str,
) -> Ruling:
    if obstacle is not None:
        return Ruling("undecided", obstacle)
    if not ahead:
        return Ruling("undecided", no_ratio(label))
    if any(one.interval is None for one in ahead):
        return Ruling("undecided", too_few(blocks))
    if any(one.interval is not None and one.interval[1] < 1 for one in strictly):
        return Ruling("refuted")
    open_steps = [at for at, one in enumerate(ahead) if one.interval is not None and one.interval[0] <= 1]
    if not open_steps:
        return Ruling("upheld")
    told = ", ".join(f"{claim.order[at]} and {claim.order[at + 1]}" for at in open_steps)
    return Ruling("undecided", f"these are not told apart in this order: {told}")
