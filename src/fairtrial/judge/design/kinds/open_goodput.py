"""Goodput, compared under an open load: whoever keeps up shows the rate that was asked for."""

from collections.abc import Iterator

from fairtrial.base.formatting import plain_in
from fairtrial.base.units import UNITS
from fairtrial.judge.design.model import Design, Flaw, flaw_kind
from fairtrial.judge.design.sides import pairs, speed_claims
from fairtrial.judge.metrics import OVERHEAD


@flaw_kind(
    "open-goodput",
    looks_for="goodput that is compared under an open load, which asks all for the same rate",
    in_sentence=False,
)
def open_goodput(design: Design) -> Iterator[Flaw]:
    """A warning for each claim that compares goodput of an open load."""
    for claim in speed_claims(design):
        if claim.metric not in ("goodput", "journeys", OVERHEAD):
            continue
        loads = [design.condition(each).load for pair in pairs(claim, design) for each in pair]
        rates = {load.mean_per_second for load in loads}
        per_second = rates.pop() if len(rates) == 1 else None
        if per_second is not None:
            rate = plain_in(per_second, UNITS["/s"])
            evidence = f"the load is open: {claim.metric} is that of {rate} for each contender that keeps up"
            remedy = 'compare response times at this rate, or search for the highest rate: `kind = "capacity"`'
            yield Flaw("warning", "metric", evidence, remedy, claim.id)
