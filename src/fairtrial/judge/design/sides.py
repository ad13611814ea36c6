"""The conditions that a claim holds against each other, and what they are compared by."""

from collections.abc import Sequence

from fairtrial.experiment.claims import (
    BudgetClaim,
    Claim,
    DifferenceClaim,
    EqualClaim,
    OrderClaim,
    RatioClaim,
    ShapeClaim,
)
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.design.model import Design
from fairtrial.judge.metrics import CAPACITY, LONGEST, OVERHEAD, percentile_in

Pair = tuple[ConditionRef, ConditionRef]

RATES = ("goodput", "elapsed", "journeys", OVERHEAD)


def is_of_speed(metric: str) -> bool:
    """Whether a metric says how fast a contender answers: a rate or a time of requests, or of all of them."""
    return (
        metric in RATES
        or metric.partition(":")[0] == CAPACITY
        or percentile_in(metric) is not None
        or metric in LONGEST
    )


def pairs(claim: Claim, design: Design) -> Sequence[Pair]:
    """The pairs that a claim compares: of an order its neighbours, of a shape over another stack each value's."""
    if isinstance(claim, RatioClaim | DifferenceClaim | EqualClaim):
        return [(claim.of, claim.to)]
    if isinstance(claim, OrderClaim):
        return list(zip(claim.order, claim.order[1:], strict=False))
    if isinstance(claim, ShapeClaim) and claim.to is not None:
        points = design.experiment.points
        return [(ConditionRef.of(claim.of, at), ConditionRef.of(claim.to, at)) for at in points]
    return []


SpeedClaim = RatioClaim | DifferenceClaim | OrderClaim | EqualClaim | ShapeClaim | BudgetClaim


def speed_claims(design: Design) -> Sequence[SpeedClaim]:
    """The claims about how fast contenders answer."""
    return [claim for claim in design.experiment.claims if isinstance(claim, SpeedClaim) and is_of_speed(claim.metric)]


def gain(claim: Claim) -> tuple[ConditionRef, ConditionRef, float, str] | None:
    """The gain that a claim asserts, as a ratio of rates: the side that is to be faster, the other, how many times as
    fast at least, and the key that says so; None where the claim asserts no such thing."""
    if not isinstance(claim, RatioClaim) or claim.request is not None:
        return None
    low, high = claim.range
    is_rate = claim.metric == "goodput" or claim.metric.partition(":")[0] == CAPACITY
    if not is_rate and claim.metric != "elapsed":
        return None
    more, less = (claim.of, claim.to) if is_rate else (claim.to, claim.of)
    # `more` over `less` grows with the ratio of rates that the claim bounds from below.
    if low is not None and (low >= 1 or high is None):
        return more, less, low, _key(claim, "at_least")
    if high is not None and high > 0 and (high <= 1 or low is None):
        return less, more, 1 / high, _key(claim, "at_most")
    return None


def _key(claim: RatioClaim, key: str) -> str:
    return "about" if claim.about is not None else key
