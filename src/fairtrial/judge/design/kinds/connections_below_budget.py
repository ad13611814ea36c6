"""Fewer requests in flight than a compared side may work on at once: what it could do with more, nobody sees."""

from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.judge.design.model import Design, Flaw, FlawKind
from fairtrial.judge.design.room import in_flight_in_words
from fairtrial.judge.design.sides import Pair, pairs, speed_claims
from fairtrial.load.kinds import Load

USUAL_BUDGET = 16
"""Of an experiment that sets none: nobody has meant anything by it."""


def examine(design: Design) -> Iterator[Flaw]:
    """A warning for each claim over unequal budgets that the load does not fill; a note on a budget that it never
    fills."""
    for claim in speed_claims(design):
        for pair in pairs(claim, design):
            if (flaw := _unfilled(claim.id, pair, design)) is not None:
                yield flaw
                break
    yield from _budget_of_all(design)


def _unfilled(claim: str, pair: Pair, design: Design) -> Flaw | None:
    sides = [(reference, design.condition(reference).load, design.facts_of(reference)) for reference in pair]
    for variable in sides[0][2].at_once:
        if variable not in sides[1][2].at_once:
            continue
        allowed = [facts.at_once[variable] for _, _, facts in sides]
        if allowed[0] == allowed[1]:
            continue
        place = allowed.index(max(allowed))
        reference, load, facts = sides[place]
        asked_for, words = _at_once(load, facts.operations)
        if asked_for is None or allowed[place] <= asked_for:
            continue
        evidence = (
            f"{variable} lets {reference} do {allowed[place]:,} at once and {pair[1 - place]} {allowed[1 - place]:,}, "
            f"and the most that is asked for at once is {asked_for:,} ({words}): what the larger is worth is not seen"
        )
        key = "connections" if load.offers_requests else "operations"
        remedy = f"ask for twice as much at once as the larger allows (`{key} = {2 * allowed[place]}`), or lower it"
        return Flaw("warning", f"load.{key}" if key == "connections" else "options.pool", evidence, remedy, claim)
    return None


def _at_once(load: Load, operations: int | None) -> tuple[int | None, str]:
    """How much a load, or a job, asks for at once, at most; None where there is no bound."""
    if load.clients is not None:
        return load.clients, in_flight_in_words(load)
    if operations is not None:
        return operations, count(operations, "operation")
    return None, ""


def _budget_of_all(design: Design) -> Iterator[Flaw]:
    experiment = design.experiment
    loads = [condition.load for condition in design.conditions]
    in_flight = [load.clients for load in loads if load.clients is not None]
    swept = experiment.sweep is not None and experiment.sweep.parameter == "concurrency_budget"
    budget = experiment.concurrency_budget
    if len(in_flight) < len(loads) or swept or budget == USUAL_BUDGET or max(in_flight) >= budget:
        return
    evidence = (
        f"each side may work on {budget:,} requests at once, and the load never has more than {max(in_flight):,} in "
        "flight: a smaller budget would give the same figures"
    )
    yield Flaw("note", "concurrency_budget", evidence, f"`concurrency_budget = {max(in_flight)}`, or more connections")


KIND = FlawKind(
    name="connections-below-budget",
    looks_for="a closed load with fewer connections, or a job with fewer operations, than a compared side may work on "
    "at once, where the sides' budgets or pools differ; a note where all have the same",
    examine=examine,
)
