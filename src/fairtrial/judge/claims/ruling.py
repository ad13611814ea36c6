"""A verdict, the sentence that can be quoted, and the claim's entry in the result: what every kind of claim shares."""

from collections.abc import Callable
from dataclasses import dataclass

from fairtrial.base.formatting import count, level_in_words, span
from fairtrial.base.units import Unit
from fairtrial.experiment.claims import Claim, MetricClaim
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.equivalence import Verdict
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.student import MINIMUM_BLOCKS

ALL_VALID = "A run in which every trial of all its contenders is valid would decide it."
NO_RATIO = "A claim of a difference needs no ratio, and can be decided."


@dataclass(frozen=True)
class Ruling:
    """A verdict; `reason` says why it is undecided, or which difference is left of an equal one."""

    verdict: Verdict
    reason: str | None = None
    way_out: str = ""
    """what would decide it, or overturn *equal*, a sentence; empty: blocks, windows or a repetition, by the interval"""


@dataclass(frozen=True)
class Basis:
    """The figures that a verdict rests on."""

    blocks: int
    estimate: Estimate | None = None
    level: float | None = None
    """of the estimate's interval"""
    unit: Unit | None = None
    bounds: tuple[float | None, float | None] = (None, None)
    """that the claim sets"""
    margin: float | None = None
    """within which values are equal"""


def too_few(blocks: int) -> str:
    """Why so few blocks give no interval."""
    return f"{count(blocks, 'block')} cannot carry an interval: at least {MINIMUM_BLOCKS} are needed"


def no_ratio(label: str) -> str:
    """Why values that are not all positive give no ratio."""
    return f"{label} was zero or less in a trial, so that no ratio exists"


def interval_in_words(
    interval: tuple[float, float] | None, level: float, write: Callable[[tuple[float, float]], str] = span
) -> str:
    """`95% interval 2.9 to 3.1`, or `no interval`. `write` puts the two ends into words."""
    return "no interval" if interval is None else f"{level_in_words(level)} interval {write(interval)}"


def result(
    claim: Claim,
    ruling: Ruling,
    basis: Basis,
    *,
    subject: str,
    requirement: str,
    observed: str | None,
    ending: str,
) -> ClaimResult:
    """The claim's entry in the result, with the sentence that a reader could quote.

    Args:
        observed: a sentence of it; None: nothing could be.
        ending: the last sentence: what would decide the claim, or overturn its verdict.
    """
    estimate = basis.estimate
    metric, request = (claim.metric, claim.request) if isinstance(claim, MetricClaim) else (None, None)
    link = ": " if ruling.verdict == "equal" else ", because "
    because = "" if ruling.reason is None else f"{link}{ruling.reason}"
    parts = [f"“{claim.text.strip().rstrip('.')}”: {ruling.verdict}{because}.", observed, ending]
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        kind=claim.kind,
        metric=metric,
        request=request,
        subject=subject,
        asked=requirement,
        unit=basis.unit,
        at_least=basis.bounds[0],
        at_most=basis.bounds[1],
        margin=basis.margin,
        verdict=ruling.verdict,
        estimate=None if estimate is None else estimate.estimate,
        interval=None if estimate is None else estimate.interval,
        level=None if estimate is None or estimate.interval is None else basis.level,
        estimate_is_lower_bound=estimate is not None and estimate.is_lower_bound,
        interval_open_above=estimate is not None and estimate.open_above,
        blocks=basis.blocks,
        published=claim.published,
        source=claim.source,
        sentence=" ".join(part for part in parts if part),
        ending=ending,
        reason=ruling.reason,
    )
