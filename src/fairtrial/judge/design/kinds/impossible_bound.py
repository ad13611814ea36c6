"""A bound of a claim that no contender can keep: the load, or the waits in it, leave no room for it."""

from collections.abc import Iterator

from fairtrial.base.formatting import plain_in
from fairtrial.base.units import BaseUnit, Unit, readable_unit
from fairtrial.experiment.claims import BudgetClaim
from fairtrial.judge.design.model import Design, Flaw, FlawKind
from fairtrial.judge.design.room import percentile_floor, room_of, seconds_in_words
from fairtrial.judge.metrics import find_metric
from fairtrial.load.capacity import CapacityLoad

REMEDY = "ask for what the load leaves room for, or change the load: more connections, a higher rate, a shorter delay"


def examine(design: Design) -> Iterator[Flaw]:
    """A stop for each budget and each objective that nobody can keep."""
    for claim in design.experiment.claims:
        if isinstance(claim, BudgetClaim):
            yield from _of_budget(claim, design)
    yield from _of_objectives(design)


def _of_budget(claim: BudgetClaim, design: Design) -> Iterator[Flaw]:
    room, unit = room_of(claim.metric, claim.request, claim.of, design), find_metric(claim.metric).unit
    low, high = claim.range
    if low is not None and low > room.high:
        wording = f"it asks for at least {plain_in(low, _unit(unit, low))}"
        yield Flaw("stop", _key(claim, "at_least"), f"{wording}, and {room.why_high}", REMEDY, claim.id)
    if high is not None and high < room.low:
        wording = f"it asks for at most {plain_in(high, _unit(unit, high))}"
        yield Flaw("stop", _key(claim, "at_most"), f"{wording}, and {room.why_low}", REMEDY, claim.id)


def _of_objectives(design: Design) -> Iterator[Flaw]:
    load = design.experiment.load
    if not isinstance(load, CapacityLoad):
        return
    for place, objective in enumerate(load.objectives):
        within = objective.within_milliseconds / 1e3
        facts = [each for each in design.facts.values() if each.waits]
        floors = [percentile_floor(objective.percentile, objective.request, each.waits) for each in facts]
        if floors and len(facts) == len(design.conditions) and within < min(floors):
            evidence = (
                f"{objective.name} asks for p{objective.percentile:g} within {seconds_in_words(within)}, and an answer "
                f"takes {seconds_in_words(min(floors))} at least: it holds at no rate"
            )
            yield Flaw("stop", f"load.objectives[{place}].within_milliseconds", evidence, REMEDY)


def _unit(base: BaseUnit, value: float) -> Unit:
    return readable_unit(base, value)


def _key(claim: BudgetClaim, key: str) -> str:
    return "about" if claim.about is not None else key


KIND = FlawKind(
    name="impossible-bound",
    looks_for="a bound that no contender can keep: a goodput above connections ÷ delay or above the rate, a time below "
    "the delay, a job that is done before its sleeps are over",
    examine=examine,
)
