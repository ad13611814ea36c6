"""From an interval and bounds to a verdict, and to the sentence that can be quoted.

Upheld if the whole interval satisfies the bound, refuted if the whole interval violates it, else undecided.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import bound_in_words, count, plain, span, violation_in_words
from fairtrial.experiment.claims import Claim
from fairtrial.judge.claims.values import Values
from fairtrial.judge.model import ClaimResult, VerdictWord
from fairtrial.judge.statistics.estimate import Estimated
from fairtrial.judge.statistics.planning import MOST_BLOCKS, blocks_to_decide
from fairtrial.judge.statistics.student import MINIMUM_BLOCKS

Range = tuple[float | None, float | None]


@dataclass(frozen=True)
class Ruling:
    """A verdict; `reason` says why it is undecided, if it is."""

    verdict: VerdictWord
    reason: str | None = None


def rule(interval: tuple[float, float], bounds: Range) -> Ruling:
    """The verdict on an interval that is to lie within the bounds."""
    low, high = interval
    lower = float("-inf") if bounds[0] is None else bounds[0]
    upper = float("inf") if bounds[1] is None else bounds[1]
    if lower <= low and high <= upper:
        return Ruling("upheld")
    if high < lower or low > upper:
        return Ruling("refuted")
    inside = [bound for bound in bounds if bound is not None and low <= bound <= high]
    return Ruling("undecided", f"the interval holds the bound {' and '.join(map(plain, inside))}")


def rule_on(values: Values, estimated: Estimated | None, bounds: Range, nothing: str) -> Ruling:
    """The verdict, unless something stands in its way; `nothing` says why there is no estimate."""
    if values.obstacle is not None:
        return Ruling("undecided", values.obstacle)
    if estimated is None:
        return Ruling("undecided", nothing)
    if estimated.interval is None:
        return Ruling("undecided", too_few(estimated.blocks))
    return rule(estimated.interval, bounds)


def too_few(blocks: int) -> str:
    """Why so few blocks give no interval."""
    return f"{count(blocks, 'block')} cannot carry an interval: at least {MINIMUM_BLOCKS} are needed"


def sentence(claim: Claim, ruling: Ruling, seen: str | None, overturned: str) -> str:
    """What a reader could quote: claim, verdict, what was seen, what would overturn it."""
    because = "" if ruling.reason is None else f", because {ruling.reason}"
    parts = [f"“{claim.text.strip().rstrip('.')}”: {ruling.verdict}{because}.", seen, overturned]
    return " ".join(part for part in parts if part)


def overturned_by(ruling: Ruling, bounds: Range) -> str:
    """What would overturn a verdict on bounds; empty for an undecided one."""
    if ruling.verdict == "upheld":
        return f"A repetition whose whole interval lies {violation_in_words(*bounds)} would overturn it."
    if ruling.verdict == "refuted":
        return f"A repetition whose whole interval satisfies the bound ({bound_in_words(*bounds)}) would overturn it."
    return ""


def decided_by(values: Values, positive: Sequence[float], bounds: Range) -> str:
    """What would decide an undecided claim, projected from `positive`: ratios, or figures, one a block."""
    if values.obstacle is not None:
        return ALL_VALID
    if not positive or any(bound is not None and bound <= 0 for bound in bounds):
        return "More blocks may decide it."
    blocks = blocks_to_decide(positive, [bound for bound in bounds if bound is not None])
    if blocks is None:
        return f"Not even {MOST_BLOCKS} blocks would decide it if estimate and spread stayed as they are."
    return f"About {max(blocks, MINIMUM_BLOCKS)} blocks would decide it if estimate and spread stayed as they are."


NO_RATIO = "A claim of a difference needs no ratio, and can be decided."


def no_ratio(label: str) -> str:
    """Why values that are not all positive give none."""
    return f"{label} was zero or less in a trial, so that no ratio exists"


ALL_VALID = "A run in which every trial of all its contenders is valid would decide it."


def interval_in_words(
    interval: tuple[float, float] | None, level: float, said: Callable[[tuple[float, float]], str] = span
) -> str:
    """`95% interval 2.9 to 3.1`, or that there is none. `said` puts the two ends into words."""
    return "no interval" if interval is None else f"{100 * level:.3g}% interval {said(interval)}"


def result(
    claim: Claim,
    ruling: Ruling,
    *,
    metric: str | None,
    subject: str,
    asked: str,
    words: str,
    blocks: int,
    bounds: Range = (None, None),
    estimated: Estimated | None = None,
) -> ClaimResult:
    """The claim's entry in the result."""
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        kind=claim.kind,
        metric=metric,
        subject=subject,
        asked=asked,
        at_least=bounds[0],
        at_most=bounds[1],
        verdict=ruling.verdict,
        estimate=None if estimated is None else estimated.estimate,
        interval=None if estimated is None else estimated.interval,
        blocks=blocks,
        published=claim.published,
        source=claim.source,
        sentence=words,
        reason=ruling.reason,
    )
