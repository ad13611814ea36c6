"""Claims with bounds: from an interval and bounds to a verdict, and how both are written in one unit."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import bound_in_words, count, plain_in, span_in, violation_in_words
from fairtrial.base.units import Quantity, Unit, readable_unit
from fairtrial.experiment.claims import BudgetClaim, DifferenceClaim, RatioClaim
from fairtrial.judge.claims.equality import equivalence_of_another_kind, margins_of, or_equal
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.longer_windows import Windows
from fairtrial.judge.claims.more_blocks import Way, level_of_one_look, more_blocks
from fairtrial.judge.claims.proven import proven_bounds
from fairtrial.judge.claims.ruling import Basis, Ruling, interval_in_words, result, too_few
from fairtrial.judge.claims.start_kinds import turned_by_another_kind, with_another_kind
from fairtrial.judge.claims.values import AWAIT_THE_REST, Values
from fairtrial.judge.metrics import Metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.equivalence import Equivalence
from fairtrial.judge.statistics.estimate import Estimate

Range = tuple[float | None, float | None]


@dataclass(frozen=True)
class Measured:
    """The measured figure by which a claim with bounds is judged."""

    values: Values
    estimate: Estimate | None
    unit: Unit | None
    """in which the estimate and the bounds are written; None: they have none"""
    evidence: Evidence
    loads: str
    size: float | None = None
    """of a difference, the larger of its two figures; None: the estimate is a ratio or a figure"""
    windows: Windows | None = None
    """those that an undecided claim rests on, as far as anything is known of them"""
    equivalence: Equivalence | None = None
    """of the two sides of a claim that equality answers; None: it is no answer, or there is no ratio"""


def unit_for(claim: BudgetClaim | DifferenceClaim, metric: Metric, estimate: Estimate | None) -> Unit:
    """The unit in which both the estimate and the bounds of a claim are written.

    It is that of the first bound other than zero, as the file has it. Zero says nothing about the size of what is
    measured, and records from before bounds had units hold plain numbers: then it is the one that reads well.
    """
    for bound in claim.bounds.values():
        if isinstance(bound, Quantity) and bound.number != 0:
            return bound.unit
    ends = [bound for bound in claim.range if bound]
    size = ends[0] if ends else 0.0 if estimate is None else estimate.estimate
    return readable_unit(metric.unit, size)


def bounded_result(
    claim: RatioClaim | DifferenceClaim | BudgetClaim,
    measured: Measured,
    *,
    subject: str,
    statement: str,
    no_estimate: str,
    undecided: str | None = None,
    scope: str = "",
) -> ClaimResult:
    """The entry of a claim with bounds in the result.

    Args:
        statement: the estimate as the beginning of a sentence: `Goodput of a was 3.1 times that of b`.
        no_estimate: why there is no estimate, if there is none.
        undecided: the last sentence of an undecided claim, if it is not how many blocks would decide it.
        scope: behind what the claim asks for, of what it does.
    """
    values, estimate, unit, bounds = measured.values, measured.estimate, measured.unit, claim.range
    ruling = rule_on(measured, bounds, no_estimate)
    bound = bound_in_words(*bounds, unit)
    observed = None
    if estimate is not None:
        interval = interval_in_words(
            estimate.interval,
            measured.evidence.level,
            lambda ends: span_in(ends, unit, open_above=estimate.open_above),
        )
        observed = (
            f"{statement} ({interval}, {count(estimate.blocks, 'block')}; load: {measured.loads}); "
            f"the claim asks for {bound}{scope}."
        )
    ending = overturned_by(ruling, bounds, unit) or ruling.way_out or undecided or decided_by(measured, bounds)
    margin = None if measured.equivalence is None else measured.equivalence.margin
    return result(
        claim,
        ruling,
        Basis(values.blocks, estimate, measured.evidence.level, unit, bounds, margin),
        subject=subject,
        requirement=bound,
        observed=observed,
        ending=ending,
    )


def rule_on(measured: Measured, bounds: Range, no_estimate: str) -> Ruling:
    """The verdict, unless something stands in its way; `no_estimate` says why there is none, if there is none."""
    values, estimate = measured.values, measured.estimate
    if values.obstacle is not None:
        return Ruling("undecided", values.obstacle)
    if estimate is None:
        return Ruling("undecided", no_estimate)
    if estimate.interval is None:
        return Ruling("undecided", too_few(estimate.blocks))
    test, level = measured.equivalence, measured.evidence.level
    ruling = or_equal(rule(estimate.interval, bounds, measured.unit), test, level)
    beyond = with_another_kind(estimate, measured.size).interval
    assert beyond is not None
    test_beyond = None if test is None else equivalence_of_another_kind(test, estimate.blocks)
    ruling_beyond = or_equal(rule(beyond, bounds), test_beyond, level)
    ruling = turned_by_another_kind(ruling, ruling_beyond, estimate.blocks, measured.evidence)
    if not estimate.open_above or stands_if_higher(estimate.interval[0], bounds):
        return ruling
    return Ruling("undecided", values.lower_bound)


def stands_if_higher(low: float, bounds: Range) -> bool:
    """Whether it is decided of anything from `low` up if it keeps the bounds: what lies above one stays above it."""
    at_least, at_most = bounds
    return (at_most is not None and low > at_most) or (at_most is None and at_least is not None and low >= at_least)


def rule(interval: tuple[float, float], bounds: Range, unit: Unit | None = None) -> Ruling:
    """Upheld if the whole interval satisfies the bounds, refuted if the whole interval violates one, else undecided."""
    low, high = interval
    lower = float("-inf") if bounds[0] is None else bounds[0]
    upper = float("inf") if bounds[1] is None else bounds[1]
    if lower <= low and high <= upper:
        return Ruling("upheld")
    if high < lower or low > upper:
        return Ruling("refuted")
    inside = [plain_in(bound, unit) for bound in bounds if bound is not None and low <= bound <= high]
    return Ruling("undecided", f"the interval holds the bound {' and '.join(inside)}")


def satisfies(value: float, bounds: Range) -> bool:
    """Whether a single value keeps the bounds."""
    at_least, at_most = bounds
    return (at_least is None or value >= at_least) and (at_most is None or value <= at_most)


def overturned_by(ruling: Ruling, bounds: Range, unit: Unit | None = None) -> str:
    """The change that would overturn a verdict on bounds; empty for one that bounds do not give."""
    if ruling.verdict == "upheld":
        return f"A repetition whose whole interval lies {violation_in_words(*bounds, unit)} would overturn it."
    if ruling.verdict == "refuted":
        bound = bound_in_words(*bounds, unit)
        return f"A repetition whose whole interval satisfies the bound ({bound}) would overturn it."
    return ""


def decided_by(measured: Measured, bounds: Range) -> str:
    """The further measurement that would decide an undecided claim."""
    if measured.values.obstacle is not None:
        return measured.values.way_out
    if measured.estimate is not None and measured.estimate.open_above:
        return AWAIT_THE_REST
    limits = [bound for bound in bounds if bound is not None]
    estimate = measured.estimate
    return more_blocks(
        measured.evidence,
        [] if estimate is None else _ways(estimate, limits, measured),
        windows=measured.windows,
        proven="" if estimate is None else proven_bounds(estimate.interval, bounds, measured.unit),
    )


def _ways(estimate: Estimate, limits: Sequence[float], measured: Measured) -> list[Way]:
    """In which more blocks may decide a claim: its own, and of a difference the one to equality of the two figures."""
    evidence, test = measured.evidence, measured.equivalence
    once, margins = level_of_one_look(evidence), margins_of(test, evidence)
    if measured.size is None:
        return [Way(estimate, limits, evidence.level, once, margins)]
    ways = [Way(estimate, limits, evidence.level, once)]
    if test is not None and margins is not None and margins.low <= test.estimate <= margins.high:
        ratio = Estimate(estimate=test.estimate, interval=test.outer, blocks=estimate.blocks)
        ways.append(Way(ratio, test.within, evidence.level, margins.then))
    return ways
