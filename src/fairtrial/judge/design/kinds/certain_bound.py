"""A claim whose bounds hold whatever the contender does: its verdict is known before the first trial."""

from collections.abc import Iterator
from math import inf

from fairtrial.experiment.claims import BudgetClaim
from fairtrial.judge.design.model import Design, Flaw, FlawKind
from fairtrial.judge.design.room import room_of


def examine(design: Design) -> Iterator[Flaw]:
    """A stop for each budget that cannot be exceeded."""
    for claim in design.experiment.claims:
        if not isinstance(claim, BudgetClaim):
            continue
        room, (low, high) = room_of(claim.metric, claim.request, claim.of, design), claim.range
        holds_below = low is None or (0 < low <= room.low)
        holds_above = high is None or (room.high < inf and high >= room.high)
        if holds_below and holds_above:
            bounds = {
                key: why
                for key, bound, why in (("at_least", low, room.why_low), ("at_most", high, room.why_high))
                if bound is not None
            }
            evidence = f"it is upheld whatever the contender does: {' and '.join(bounds.values())}"
            key = "about" if claim.about is not None else next(iter(bounds))
            yield Flaw(
                "stop", key, evidence, "ask for more than the load gives by itself, or leave the claim out", claim.id
            )


KIND = FlawKind(
    name="certain-bound",
    looks_for="a bound that every contender keeps, whatever it does: at most what the load allows, at least the delay",
    examine=examine,
)
