"""Whether a verdict on goodput stands: of a side that was not at a limit of its own, the figure is a lower bound.

A side that was held back by the load, by a budget that all share or by the engine can do as much as was measured, or
more. So a ratio over a side that was at its own limit is at least what was measured, and a verdict that a higher ratio
would not change stands. Where both sides were held back, nothing follows.

Of a side whose limit is not known, goodput is what its response times allow at so many connections. A wait that both
sides share and nobody knows of pulls the ratio towards 1: in truth it lies further from 1 than was measured, on the
same side. Two versions of one program are the exception: what they wait for is the program's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.experiment.claims import (
    BudgetClaim,
    Claim,
    DifferenceClaim,
    EqualClaim,
    MetricClaim,
    OrderClaim,
    RatioClaim,
    ShapeClaim,
)
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult, Limit

NAME = "own-limit"
OF_WHY = "[why]"
"""With which the ids of the ratios begin on which the answer to `[why]` rests; none of a file does."""
RATES = ("goodput", "elapsed", "journeys")
"""Metrics that say what a contender can do: so much a second, or so long for all of it."""
ALIKE = 1.1
"""Contenders that let as many requests wait at once, to this factor, were given that number: none of them is told from
the other by it. Numbers of threads and connections are whole, and differ by more where they differ."""


@dataclass(frozen=True)
class _Side:
    reference: ConditionRef
    limit: Limit | None

    @property
    def is_held_back(self) -> bool:
        """Whether it can do more than was measured, for all that is known."""
        return self.limit is not None and not self.limit.is_own and not self.is_unknown

    @property
    def is_unknown(self) -> bool:
        """Whether nothing was at its limit, for all that was measured."""
        return self.limit is not None and self.limit.kind == "not-known"


def withheld_by_limits(claim: Claim, result: ClaimResult, evidence: Evidence) -> Finding | None:
    """The finding that withholds a verdict which a side at no limit of its own would change; None if it stands."""
    if not isinstance(claim, MetricClaim) or claim.metric not in RATES or result.verdict == "undecided":
        return None
    pairs = _pairs(claim, evidence)
    if not (claim.id.startswith(OF_WHY) and _switches_concurrency(pairs, evidence)):
        pairs = [_with_concurrency(pair) for pair in pairs]
    doubtful = [pair for pair in pairs if not _stands(claim, result, pair)]
    if not doubtful:
        return None
    sides = {str(side.reference): side for pair in doubtful for side in pair if side.is_held_back or side.is_unknown}
    limits = [f"{name}: {side.limit.evidence}" for name, side in sides.items() if side.limit is not None]
    remedies = dict.fromkeys(side.limit.remedy for side in sides.values() if side.limit and side.limit.remedy)
    return Finding(
        check=NAME,
        severity="refusal",
        evidence=f"{' and '.join(sides)} can do more, for all that is known: {'; '.join(limits)}",
        remedy="; ".join(remedies) or "let each side reach a limit of its own",
        claim=claim.id,
    )


def limits_in_words(claim: Claim, evidence: Evidence) -> list[str]:
    """A sentence for each thing that limited sides of a claim on goodput, where it was anything but processors."""
    if not isinstance(claim, MetricClaim) or claim.metric not in RATES:
        return []
    names: dict[str, list[str]] = {}
    for reference in claim.conditions():
        limit = _limit(reference, evidence)
        if limit is not None and limit.kind not in OF_COURSE:
            names.setdefault(_in_words(limit), []).append(str(reference))
    return [f"What limited {' and '.join(sides)} {words}." for words, sides in names.items()]


OF_COURSE = ("stack-processors", "single-threads", "program", "objective")
"""Limits that a reader takes for granted."""

IN_WORDS = {
    "database-processors": "was the database's processors",
    "shared-processors": "was processors that others use as well",
    "own-concurrency": "was the number of requests that wait at once",
    "one-connection": "was the single connection, so that goodput is the reciprocal of response time",
    "load": "was the load",
    "rate": "was the rate that was asked for",
    "budget": "was the concurrency budget",
    "job": "was the waiting in its job",
    "engine": "was the load engine",
    "not-known": "is not known",
    "not-examined": "was not examined",
}


def _in_words(limit: Limit) -> str:
    words = IN_WORDS[limit.kind]
    return words.replace("others use", f"{' and '.join(limit.shared_with)} used") if limit.shared_with else words


def _pairs(claim: MetricClaim, evidence: Evidence) -> list[tuple[_Side, ...]]:
    """The sides that are held against each other: of an order, neighbours; of a budget, one alone."""
    if isinstance(claim, ShapeClaim):
        if claim.to is None or claim.shape != "leads":
            return []  # what a figure does along the sweep is seen with its limits, which the sentence names
        points = evidence.experiment.points
        groups: list[Sequence[ConditionRef]] = [[ConditionRef.of(each, at) for each in claim.curves()] for at in points]
    elif isinstance(claim, OrderClaim):
        groups = list(zip(claim.order, claim.order[1:], strict=False))
    else:
        groups = [claim.conditions()]
    return [tuple(_Side(each, _limit(each, evidence)) for each in group) for group in groups]


def _limit(reference: ConditionRef, evidence: Evidence) -> Limit | None:
    return evidence.limits.get(evidence.condition(reference).id)


def _with_concurrency(pair: tuple[_Side, ...]) -> tuple[_Side, ...]:
    """The pair, both held back if both let the same number of requests wait at once: somebody has set that number."""
    waiting = [0.0 if side.limit is None else side.limit.at_once or 0.0 for side in pair]
    if len(pair) < 2 or min(waiting) <= 0 or max(waiting) > ALIKE * min(waiting):
        return pair
    return tuple(
        _Side(
            side.reference,
            None if side.limit is None else side.limit.model_copy(update={"is_own": False, "remedy": SAME_NUMBER}),
        )
        for side in pair
    )


def _switches_concurrency(pairs: Sequence[tuple[_Side, ...]], evidence: Evidence) -> bool:
    """Whether `[why]` asks what it is worth that more requests wait at once: the file says that its contenders may do
    unequally much at once, and another condition of it is not limited by the number that limits these."""
    why = evidence.experiment.why
    if why is None or evidence.experiment.unequal_budgets is None:
        return False
    waiting = max((side.limit.at_once or 0.0 for pair in pairs for side in pair if side.limit), default=0.0)
    others = [limit for each in why.conditions if (limit := _limit(each, evidence)) is not None and limit.is_own]
    return any(limit.at_once is None or limit.at_once > ALIKE * waiting for limit in others)


SAME_NUMBER = "give both larger pools or more threads: both let as many requests wait at once, and no more"


def _stands(claim: MetricClaim, result: ClaimResult, pair: tuple[_Side, ...]) -> bool:
    """Whether the verdict is the same wherever the true ratio, difference or figure may lie beside the measured one."""
    higher, lower = _directions(claim, result, pair)
    if not higher and not lower:
        return True
    if (higher and lower) or result.verdict == "equal":
        return False
    if isinstance(claim, OrderClaim | ShapeClaim):
        return higher if result.verdict == "upheld" else lower
    if not isinstance(claim, RatioClaim | DifferenceClaim | EqualClaim | BudgetClaim) or result.interval is None:
        return False
    low, high = result.interval
    at_least, at_most = result.at_least, result.at_most
    if result.verdict == "upheld":
        return (at_most is None) if higher else (at_least is None)
    is_above, is_below = at_most is not None and low > at_most, at_least is not None and high < at_least
    return is_above if higher else is_below


def _directions(claim: MetricClaim, result: ClaimResult, pair: tuple[_Side, ...]) -> tuple[bool, bool]:
    """Whether what the claim is about may in truth be higher than was measured, and whether it may be lower."""
    of, to = pair[0].is_held_back, len(pair) > 1 and pair[1].is_held_back
    higher, lower = (of, to) if find_metric(claim.metric).higher_is_better else (to, of)
    if not any(side.is_unknown for side in pair):
        return higher, lower
    if len(pair) == 1:
        return True, lower
    is_one_program = pair[0].reference.stack.name == pair[1].reference.stack.name
    is_order = isinstance(claim, OrderClaim | ShapeClaim) and result.verdict != "equal"
    if is_one_program or is_order or result.interval is None:
        return higher, lower  # of the order of two, a wait that they share changes nothing
    low, high = result.interval
    neutral = 0.0 if isinstance(claim, DifferenceClaim) else 1.0
    return higher or high >= neutral, lower or low <= neutral
