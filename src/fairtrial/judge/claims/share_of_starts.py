"""A budget that a share of all starts has to keep: `of_starts`."""

from fairtrial.base.formatting import bound_in_words, count, plain_in, span_in
from fairtrial.base.units import UNITS, Unit
from fairtrial.experiment.claims import BudgetClaim
from fairtrial.judge.claims.bounded import rule, satisfies, stands_if_higher
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.more_blocks import blocks_needed, level_of_one_look
from fairtrial.judge.claims.proven import proven_share
from fairtrial.judge.claims.ruling import Basis, Ruling, interval_in_words, result
from fairtrial.judge.claims.values import AWAIT_THE_REST, Values
from fairtrial.judge.metrics import Metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.share import MOST_STARTS, fewest_to_uphold, share_interval, starts_to_decide

PERCENT = UNITS["%"]


def judge_share(
    claim: BudgetClaim, metric: Metric, values: Values, evidence: Evidence, unit: Unit | None, of_starts: float
) -> ClaimResult:
    """The verdict on "in at least `of_starts` of all starts the figure keeps the budget".

    Its estimate is the share of the starts that were tried. There is none where it is not known of a start if it keeps
    the budget, because its time is a lower bound that an `at_most` allows.
    """
    figures = values.of(claim.of)
    unknown = any(
        is_bound and not stands_if_higher(value, claim.range)
        for value, is_bound in zip(figures, values.bounds_of(claim.of), strict=True)
    )
    keeping = sum(satisfies(value, claim.range) for value in figures)
    ruling, estimate, observed = Ruling("undecided", values.obstacle), None, None
    further = values.way_out
    budget = bound_in_words(*claim.range, unit)
    if unknown and values.obstacle is None:
        ruling, further = Ruling("undecided", values.lower_bound), AWAIT_THE_REST
    elif figures and not unknown and values.refused is None:
        interval = share_interval(keeping, len(figures), evidence.level)
        estimate = Estimate(estimate=keeping / len(figures), interval=interval, blocks=len(figures))
        if ruling.reason is None:
            ruling = rule(interval, (of_starts, None), PERCENT)
            further = _further(keeping, len(figures), of_starts, evidence)
        observed = (
            f"In {keeping} of {count(len(figures), 'start')}, {metric.label} {metric.preposition} {claim.of} was "
            f"{budget} ({interval_in_words(interval, evidence.level, lambda ends: span_in(ends, PERCENT))} of all "
            f"starts; load: {evidence.loads(claim.of)}); the claim asks for {plain_in(of_starts, PERCENT)} of them."
        )
    endings = {
        "upheld": "A repetition whose whole interval lies below that share would overturn it.",
        "refuted": "A repetition whose whole interval lies above that share would overturn it.",
        "undecided": further,
    }
    return result(
        claim,
        ruling,
        Basis(values.blocks, estimate, evidence.level, PERCENT, (of_starts, None)),
        subject=f"share of starts in which {metric.label} {metric.preposition} {claim.of} is {budget}",
        requirement=f"at least {plain_in(of_starts, PERCENT)} of starts",
        observed=observed,
        ending=endings[ruling.verdict],
    )


def _further(keeping: int, total: int, of_starts: float, evidence: Evidence) -> str:
    level = level_of_one_look(evidence)
    starts = starts_to_decide(keeping, total, of_starts, level)
    if starts is None:
        low, _ = share_interval(keeping, total, evidence.level)
        words = f"Not even {MOST_STARTS:,} blocks would be sure to decide it, by what {count(total, 'start')} tell."
        return f"{words} {proven_share(low)}".rstrip()
    by = f"by what {count(total, 'start')} tell"
    words = f"{blocks_needed(evidence, starts)} would decide it in four of five runs, {by}"
    all_of = fewest_to_uphold(of_starts, level)
    return (
        f"{words}; {all_of} blocks do if every start keeps it." if keeping == total and all_of < starts else f"{words}."
    )
