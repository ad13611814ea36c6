"""Several conditions, the best by a metric first.

Upheld if each is proven better than the next: all of these tests have to succeed, so none needs a correction for their
number (R. L. Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982), 295-300:
intersection-union tests). Refuted if any is proven worse than the next; here one success is enough, so the error rate
is divided among the pairs (Bonferroni). Equal if each is proven better than the next or equal to it: that says
something else of each pair from experiment to experiment, so that the error rate is divided here as well. With several
pairs, equality has to share it with a wrong *upheld* by another pair, so each of its two one-sided tests has half.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import capitalised, count, figure, level_in_words
from fairtrial.experiment.claims import OrderClaim
from fairtrial.judge.claims.equality import in_percent, margin_of, no_difference
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.longer_windows import windows_of
from fairtrial.judge.claims.more_blocks import Way, level_of_one_look, more_blocks
from fairtrial.judge.claims.proven import proven_margin
from fairtrial.judge.claims.ruling import NO_RATIO, Basis, Ruling, interval_in_words, no_ratio, result, too_few
from fairtrial.judge.claims.start_kinds import turned_by_another_kind, with_another_kind
from fairtrial.judge.claims.values import Values, read_values
from fairtrial.judge.metrics import Metric, find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import Estimate, at_resolution, paired_ratio
from fairtrial.judge.statistics.planning import Margins


@dataclass(frozen=True)
class RankSteps:
    """For each condition but the last, the factor by which it is better than the next, with intervals at three levels;
    empty if one has none."""

    ahead: Sequence[Estimate]
    """at the claim's level: all above 1 uphold it"""
    strictly: Sequence[Estimate]
    """at the level that the pairs share: one below 1 refutes it"""
    alike: Sequence[Estimate]
    """at the level of equality: one within the margin is equal"""

    @staticmethod
    def of(claim: OrderClaim, metric: Metric, values: Values, level: float) -> "RankSteps":
        """The steps between these values, for a claim at this level."""
        levels = level, _level_shared(claim, level), _level_of_equality(claim, level)
        return RankSteps(*(_steps(claim, metric, values, each) for each in levels))

    def with_another_kind(self) -> "RankSteps":
        """These steps as another kind of start than those that few blocks met allows them."""
        return RankSteps(*([with_another_kind(each) for each in of] for of in (self.ahead, self.strictly, self.alike)))

    def not_ahead(self) -> list[int]:
        """The places of the steps that are not proven better, at the level that the pairs share."""
        return [place for place, (low, _) in enumerate(_intervals(self.strictly)) if low <= 1]

    def apart(self, margin: float) -> list[int]:
        """Those of them that are not equal within the margin either."""
        alike = _intervals(self.alike)
        return [at for at in self.not_ahead() if alike[at][0] < 1 / (1 + margin) or alike[at][1] > 1 + margin]

    def hardest(self, claim: OrderClaim, margin: float, level: float, once: float) -> tuple[int, Way]:
        """The place of the step that takes most blocks of these, and the way in which they decide it: the two are told
        apart, or shown equal.

        Args:
            level: of the claim.
            once: in a run that looks once.
        """
        margins = Margins(1 / (1 + margin), 1 + margin, _level_of_equality(claim, once))
        ways = {at: Way(self.ahead[at], [1.0], level, once, margins) for at in self.apart(margin) or [0]}
        return max(ways.items(), key=lambda item: item[1].blocks or math.inf)


def judge(claim: OrderClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on an order claim. Its estimate is that of the least certain step."""
    metric = find_metric(claim.metric, claim.request)
    values = read_values(claim, metric, claim.order, evidence)
    margin = margin_of(claim, evidence)
    steps = RankSteps.of(claim, metric, values, evidence.level)
    ruling = turned_by_another_kind(
        rule_on_steps(claim, values, steps, margin, metric.label, evidence.level),
        rule_on_steps(claim, values, steps.with_another_kind(), margin, metric.label, evidence.level),
        values.blocks,
        evidence,
    )
    sequence = " before ".join(map(str, claim.order))
    estimate, observed, ending = None, None, values.way_out if values.obstacle else NO_RATIO
    if steps.ahead:
        weakest = min(range(len(steps.ahead)), key=lambda step: steps.ahead[step].interval or (0.0, 0.0))
        estimate = steps.ahead[weakest]
        observed = (
            f"The least certain step is that of {_pair(claim, weakest)}: "
            f"{metric.label} was better by a factor of {figure(estimate.estimate)} "
            f"({interval_in_words(estimate.interval, evidence.level)}, {count(estimate.blocks, 'block')}; "
            f"load: {evidence.loads(*claim.order)})."
        )
        ending = {
            "upheld": "A repetition in which one is proven worse than the next would overturn it.",
            "refuted": "A repetition in which each is proven better than the next would overturn it.",
            "equal": ruling.way_out,
            "undecided": values.way_out
            if values.obstacle
            else ruling.way_out or _further(claim, metric, values, steps, margin, evidence),
        }[ruling.verdict]
    return result(
        claim,
        ruling,
        Basis(values.blocks, estimate, evidence.level, margin=margin if steps.ahead else None),
        subject=f"{capitalised(metric.label)}: {sequence}",
        requirement=sequence,
        observed=observed,
        ending=ending,
    )


def _level_shared(claim: OrderClaim, level: float) -> float:
    return 1 - (1 - level) / (len(claim.order) - 1)


def _level_of_equality(claim: OrderClaim, level: float) -> float:
    """For one pair that of two one-sided tests, each at the whole error rate; of several, see above."""
    return 2 * level - 1 if len(claim.order) == 2 else _level_shared(claim, level)


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


def _intervals(steps: Sequence[Estimate]) -> list[tuple[float, float]]:
    return [step.interval for step in steps if step.interval is not None]


def rule_on_steps(
    claim: OrderClaim, values: Values, steps: RankSteps, margin: float, label: str, level: float
) -> Ruling:
    """The verdict from the steps at each of their levels."""
    if len(_intervals(steps.ahead)) < len(claim.order) - 1:
        without_interval = too_few(values.blocks) if steps.ahead else no_ratio(label)
        return Ruling("undecided", values.obstacle or without_interval)
    if values.obstacle is not None:
        return Ruling("undecided", values.obstacle)
    if any(high < 1 for _, high in _intervals(steps.strictly)):
        return Ruling("refuted")
    if all(low > 1 for low, _ in _intervals(steps.ahead)):
        return Ruling("upheld")
    if apart := steps.apart(margin):
        pairs = ", ".join(_pair(claim, place, "and") for place in apart)
        return Ruling(
            "undecided", f"these are neither told apart in this order nor equal within {in_percent(margin)}: {pairs}"
        )
    alike = steps.not_ahead()
    pairs = " nor between ".join(_pair(claim, place, "and") for place in alike)
    left = no_difference([_intervals(steps.strictly)[place] for place in alike], margin)
    return Ruling(
        "equal",
        f"{left} between {pairs}",
        f"Their {level_in_words(_level_of_equality(claim, level))} intervals lie within the margin of "
        f"{in_percent(margin)}; a repetition in which one lies wholly outside would overturn it.",
    )


def _pair(claim: OrderClaim, place: int, link: str = "before") -> str:
    return f"{claim.order[place]} {link} {claim.order[place + 1]}"


def _further(
    claim: OrderClaim, metric: Metric, values: Values, steps: RankSteps, margin: float, evidence: Evidence
) -> str:
    """The way out of an undecided order: the blocks that its hardest pair needs."""
    place, way = steps.hardest(claim, margin, evidence.level, level_of_one_look(evidence))
    pair = claim.order[place : place + 2]
    return more_blocks(
        evidence,
        [way],
        windows=windows_of(evidence, metric, values, *pair),
        proven=proven_margin(steps.ahead[place].interval, f'a claim of kind "equal" of {pair[0]} and {pair[1]} with'),
    )
