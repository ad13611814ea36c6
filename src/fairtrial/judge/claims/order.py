"""Several conditions, the best by a metric first.

Upheld if each is proven better than the next: all of these tests have to succeed, so none needs a correction for their
number (R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982), 295-300:
intersection-union tests). Refuted if any is proven worse than the next; here one success is enough, so the error rate
is divided among the pairs (Bonferroni).
"""

from collections.abc import Sequence

from fairtrial.base.formatting import capitalised, count, figure
from fairtrial.experiment.claims import OrderClaim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.longer_windows import windows_of
from fairtrial.judge.claims.more_blocks import more_blocks
from fairtrial.judge.claims.proven import proven_margin
from fairtrial.judge.claims.ruling import (
    NO_RATIO,
    Ruling,
    interval_in_words,
    no_ratio,
    result,
    sentence,
    too_few,
)
from fairtrial.judge.claims.start_kinds import turned_by_another_kind, with_another_kind
from fairtrial.judge.claims.values import Values, read_values
from fairtrial.judge.metrics import Metric, find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import Estimate, at_resolution, paired_ratio


def judge(claim: OrderClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on an order claim. Its estimate is that of the least certain step."""
    metric = find_metric(claim.metric, claim.request)
    values = read_values(claim, metric, claim.order, evidence)
    ahead = _steps(claim, metric, values, evidence.level)
    strict = 1 - (1 - evidence.level) / (len(claim.order) - 1)
    strictly = _steps(claim, metric, values, strict)
    beyond, strictly_beyond = ([with_another_kind(each) for each in steps] for steps in (ahead, strictly))
    ruling = turned_by_another_kind(
        _ruling(claim, values, ahead, strictly, metric.label),
        _ruling(claim, values, beyond, strictly_beyond, metric.label),
        values.blocks,
        evidence,
    )
    sequence = " before ".join(map(str, claim.order))
    estimate, observed, ending = None, None, values.way_out if values.obstacle else NO_RATIO
    if ahead:
        weakest = min(range(len(ahead)), key=lambda step: ahead[step].interval or (0.0, 0.0))
        estimate = ahead[weakest]
        observed = (
            f"The least certain step is that of {claim.order[weakest]} before {claim.order[weakest + 1]}: "
            f"{metric.label} was better by a factor of {figure(estimate.estimate)} "
            f"({interval_in_words(estimate.interval, evidence.level)}, {count(estimate.blocks, 'block')}; "
            f"load: {evidence.loads(*claim.order)})."
        )
        ending = {
            "upheld": "A repetition in which one is proven worse than the next would overturn it.",
            "refuted": "A repetition in which each is proven better than the next would overturn it.",
            "undecided": values.way_out
            if values.obstacle
            else ruling.way_out
            or more_blocks(
                evidence,
                estimate,
                [1.0],
                level=evidence.level,
                windows=windows_of(evidence, metric, values, *claim.order[weakest : weakest + 2]),
                proven=proven_margin(
                    estimate.interval,
                    f'a claim of kind "equal" of {claim.order[weakest]} and {claim.order[weakest + 1]} with',
                ),
            ),
        }[ruling.verdict]
    return result(
        claim,
        ruling,
        metric=claim.metric,
        subject=f"{capitalised(metric.label)}: {sequence}",
        requirement=sequence,
        words=sentence(claim, ruling, observed, ending),
        blocks=values.blocks,
        estimate=estimate,
    )


def _steps(claim: OrderClaim, metric: Metric, values: Values, level: float) -> list[Estimate]:
    """For each condition but the last, the factor by which it is better than the next; empty if one has none."""
    if values.refused is not None:
        return []
    estimates = []
    for first, second in zip(claim.order, claim.order[1:], strict=False):
        better, worse = (first, second) if metric.higher_is_better else (second, first)
        if not values.ratios(better, worse):
            return []
        ratio = paired_ratio(values.of(better), values.of(worse), level)
        estimates.append(at_resolution(ratio, values.resolution_of_ratio(better, worse), is_ratio=True))
    return estimates


def _ruling(
    claim: OrderClaim, values: Values, ahead: Sequence[Estimate], strictly: Sequence[Estimate], label: str
) -> Ruling:
    """The verdict from the steps at the claim's level, and at the stricter one that a refutation needs."""
    if values.obstacle is not None:
        return Ruling("undecided", values.obstacle)
    if not ahead:
        return Ruling("undecided", no_ratio(label))
    if any(step.interval is None for step in ahead):
        return Ruling("undecided", too_few(values.blocks))
    if any(step.interval is not None and step.interval[1] < 1 for step in strictly):
        return Ruling("refuted")
    undecided = [place for place, step in enumerate(ahead) if step.interval is not None and step.interval[0] <= 1]
    if not undecided:
        return Ruling("upheld")
    pairs = ", ".join(f"{claim.order[place]} and {claim.order[place + 1]}" for place in undecided)
    return Ruling("undecided", f"these are not told apart in this order: {pairs}")
