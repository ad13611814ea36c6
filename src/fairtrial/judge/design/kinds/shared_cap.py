"""Two contenders that the load caps at the same rate: where both reach it, they are equal, whatever they cost."""

from collections.abc import Iterator

from fairtrial.base.formatting import figure_in
from fairtrial.base.units import UNITS
from fairtrial.experiment.claims import EqualClaim, OrderClaim, ShapeClaim
from fairtrial.judge.design.model import Design, Flaw, FlawKind
from fairtrial.judge.design.room import bound_on_speed, mean_wait
from fairtrial.judge.design.sides import Pair, SpeedClaim, gain, pairs, speed_claims

REACHABLE_PER_SECOND = 100_000.0
"""Answers a second of one processor that nobody reaches who makes a call or a query for each: these are four system
calls through TCP at least, of 2.5 µs or more each over loopback."""

ALIKE = 1.01
"""Caps that differ by no more are the same: pools are whole numbers, and are rounded up by process."""


def examine(design: Design) -> Iterator[Flaw]:
    """A warning for each claim on rates over two contenders under one cap that both may reach."""
    for claim in speed_claims(design):
        if claim.metric not in ("goodput", "elapsed") or claim.request is not None:
            continue
        for pair in pairs(claim, design):
            if (flaw := _capped(claim, pair, design)) is not None:
                yield flaw
                break


def _capped(claim: SpeedClaim, pair: Pair, design: Design) -> Flaw | None:
    loads = [design.condition(each).load for each in pair]
    if design.same_stack(pair) or any(load.clients is None for load in loads):
        return None
    caps = [bound_on_speed(each, design) for each in pair]
    if caps[0] is None or caps[1] is None:
        return None
    reachable = REACHABLE_PER_SECOND * (design.server_processors or 1)
    rates = [cap[0] for cap in caps if cap is not None]
    if max(rates) > reachable or max(rates) > ALIKE * min(rates):
        return None
    what = _what_is_lost(claim, rates[0])
    if what is None:
        return None
    most = figure_in(rates[0], UNITS["/s"])
    waits = design.facts_of(pair[0]).waits
    plenty = _round_number(reachable * mean_wait(waits))
    evidence = (
        f"{caps[0][1]} allow {pair[0]} and {pair[1]} {most} at most: where both reach it, they are equal, whatever an "
        f"answer costs them{what}"
    )
    remedy = (
        f"raise `connections` (here {loads[0].connections}) and `concurrency_budget` until each reaches its "
        f"processors; {plenty:,} at once are more than any can use"
    )
    return Flaw("warning", "load.connections", evidence, remedy, claim.id)


def _what_is_lost(claim: SpeedClaim, rate: float) -> str | None:
    """The loss of a claim at the cap, as the end of a sentence; None if a common cap does not matter to it."""
    if isinstance(claim, EqualClaim | OrderClaim | ShapeClaim):
        return ""
    wanted_gain = gain(claim)
    if wanted_gain is None or wanted_gain[2] < 1:
        return None
    _, less, times, _ = wanted_gain
    return f"; it can be upheld only where {less} stays below {figure_in(rate / times, UNITS['/s'])}"


def _round_number(value: float) -> int:
    """The next power of two."""
    return 1 << max(0, int(value) - 1).bit_length()


KIND = FlawKind(
    name="shared-cap",
    looks_for="two contenders under a closed load whose connections, or whose budget, divided by the delay of an "
    "answer cap both at a rate that fast ones reach",
    examine=examine,
    in_sentence=False,
)
