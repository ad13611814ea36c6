"""*Equal* as an answer: a claim that one side is ahead of another, where neither is by more than anybody cares about.

Upheld and refuted come first: a difference that is proven to keep the bounds, or to break them, is no equality. What is
neither is equal if two one-sided tests say so, each at the whole error rate of the claim (statistics.equivalence). All
three answers share one error rate. At the margin, equality is wrong where the lower-level interval misses the truth on
one side, and a wrong verdict on bounds between the margins needs the wider interval to miss it on the same side. With
bounds beyond the margin, an interval that misses it on that side refutes the claim, and rightly.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from fairtrial.base.formatting import plain_in
from fairtrial.base.units import UNITS
from fairtrial.experiment.claims import ComparingClaim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.more_blocks import level_of_one_look
from fairtrial.judge.claims.ruling import Ruling, interval_in_words
from fairtrial.judge.claims.start_kinds import with_another_kind
from fairtrial.judge.claims.values import Values
from fairtrial.judge.statistics.equivalence import Equivalence, Verdict, equal_within, verdict_between
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.planning import Margins

PERCENT = UNITS["%"]
IN_STEPS_OF = 0.001
"""In which a difference that is left is rounded up: a tenth of a percent."""


def margin_of(claim: ComparingClaim, evidence: Evidence) -> float:
    """The share within which what a claim compares is equal."""
    return evidence.experiment.margin if claim.margin is None else claim.margin


def equivalence_of(claim: ComparingClaim, values: Values, evidence: Evidence) -> Equivalence | None:
    """How the ratio of the two sides of a claim lies to its margin; None where equality is no answer to it, or there is
    no ratio."""
    of, to = claim.conditions()
    ratios = values.ratios(of, to)
    if not claim.may_be_equal or not ratios or values.refused is not None:
        return None
    return equal_within(ratios, margin_of(claim, evidence), evidence.level, values.resolution_of_ratio(of, to))


def equivalence_of_another_kind(test: Equivalence, blocks: int) -> Equivalence:
    """The test if another kind of start than those that few blocks met is the typical one."""
    inner, outer = (
        with_another_kind(Estimate(estimate=test.estimate, interval=each, blocks=blocks)).interval
        for each in (test.inner, test.outer)
    )
    verdict: Verdict = "undecided" if inner is None or outer is None else verdict_between(inner, outer, test.within)
    return replace(test, inner=inner, outer=outer, verdict=verdict)


def or_equal(ruling: Ruling, test: Equivalence | None, level: float) -> Ruling:
    """The ruling on the bounds of a claim; *equal* where it is undecided and the ratio is proven to be within the
    margin.

    Args:
        level: of the interval that did not decide on the bounds.
    """
    if ruling.verdict != "undecided" or test is None or test.outer is None:
        return ruling
    if test.verdict == "upheld":
        ending = (
            f"The {interval_in_words(test.inner, 2 * level - 1)} of the ratio lies within the margin of "
            f"{in_percent(test.margin)}; a repetition whose whole interval lies outside would overturn it."
        )
        return Ruling("equal", no_difference([test.outer], test.margin), ending)
    if test.outer[0] <= 1 <= test.outer[1]:
        return replace(ruling, reason=f"{ruling.reason} and reaches beyond the margin of {in_percent(test.margin)}")
    return ruling


def no_difference(intervals: Sequence[tuple[float, float]], margin: float) -> str:
    """`no difference above 3%`: the most that the intervals of the ratios leave, rounded up, and the margin at most."""
    most = max(max(high, 1 / low) for low, high in intervals) - 1
    steps = max(1, math.ceil(round(most / IN_STEPS_OF, 6)))
    return f"no difference above {in_percent(min(steps * IN_STEPS_OF, margin))}"


def in_percent(share: float) -> str:
    """`5%`."""
    return plain_in(share, PERCENT)


def margins_of(test: Equivalence | None, evidence: Evidence) -> Margins | None:
    """The margins between which a run that looks once shows both sides equal; None where equality is no answer."""
    return None if test is None else Margins(*test.within, then=2 * level_of_one_look(evidence) - 1)
