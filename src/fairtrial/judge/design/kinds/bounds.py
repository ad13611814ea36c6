"""Flaws of a bound: every contender keeps it, or none can, or sides are held to different budgets."""

from collections.abc import Iterator
from math import ceil, inf

from fairtrial.base.formatting import count, plain_in
from fairtrial.base.units import UNITS, BaseUnit, Unit, readable_unit
from fairtrial.experiment.claims import BudgetClaim
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.design.model import Design, DesignSeverity, Flaw, flaw_kind
from fairtrial.judge.design.room import (
    in_flight_in_words,
    mean_wait,
    percentile_floor,
    room_of,
    seconds_in_words,
    waits_in_words,
)
from fairtrial.judge.design.sides import Pair, pairs, speed_claims
from fairtrial.judge.metrics import find_metric
from fairtrial.load.capacity import CapacityLoad
from fairtrial.load.kinds import Load


@flaw_kind(
    "certain-bound",
    looks_for="a bound that every contender keeps, whatever it does: at most what the load allows, at least the delay",
)
def certain_bound(design: Design) -> Iterator[Flaw]:
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


REMEDY = "ask for what the load leaves room for, or change the load: more connections, a higher rate, a shorter delay"


@flaw_kind(
    "impossible-bound",
    looks_for="a bound that no contender can keep: a goodput above connections ÷ delay or above the rate, a time below "
    "the delay, a job that is done before its sleeps are over",
)
def impossible_bound(design: Design) -> Iterator[Flaw]:
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


ONE_BUDGET = (
    "give both the same, or say at the top of the file why they differ: "
    'unequal_budgets = "…"; the sentence of the claim then says both'
)


@flaw_kind(
    "unequal-budgets",
    looks_for="compared sides of which one may do more at once (MAX_CONCURRENCY; MAX_THREADS, DB_POOL, UPSTREAM_POOL × "
    "WEB_CONCURRENCY; CONCURRENCY), where neither the sweep nor `unequal_budgets` says so",
)
def unequal_budgets(design: Design) -> Iterator[Flaw]:
    """A stop for each claim on speed whose sides differ by more than their names say; a note if the file says why.

    What a verdict over unequal budgets shows is a setting.
    """
    stated = design.experiment.unequal_budgets
    for claim in speed_claims(design):
        for pair in pairs(claim, design):
            words = _difference(pair, design)
            if words is None:
                continue
            severity: DesignSeverity = "stop" if stated is None else "note"
            because = "" if stated is None else f", as the experiment says: “{stated.strip().rstrip('.')}”"
            yield Flaw(severity, "of" if hasattr(claim, "of") else "order", f"{words}{because}", ONE_BUDGET, claim.id)
            break


def _difference(pair: Pair, design: Design) -> str | None:
    """The work that one side may do at once and the other not, at the same value of the sweep; None if they may do
    alike.

    What a sweep varies between the sides stands in their names, and nobody has to say it once more.
    """
    of, to = pair[0], ConditionRef.of(pair[1].stack, pair[0].at)
    ours, theirs = design.facts_of(of), design.facts_of(to)
    for variable, mine in ours.at_once.items():
        other = theirs.at_once.get(variable, mine)
        if mine != other and _binds(min(mine, other), of, design):
            return f"{variable} lets {of} do {mine:,} at once and {to} {other:,}"
    return None


def _binds(least: int, reference: ConditionRef, design: Design) -> bool:
    """Whether a load can ask for more at once than this."""
    clients = design.condition(reference).load.clients
    return clients is None or least < clients


USUAL_BUDGET = 16
"""An experiment that sets none has this one: nobody has meant anything by it."""


@flaw_kind(
    "connections-below-budget",
    looks_for="a closed load with fewer connections, or a job with fewer operations, than a compared side may work on "
    "at once, where the sides' budgets or pools differ; a note where all have the same",
)
def connections_below_budget(design: Design) -> Iterator[Flaw]:
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


@flaw_kind(
    "rate-beyond-connections",
    looks_for="an open load whose rate times the delay of an answer is more than its connections",
)
def rate_beyond_connections(design: Design) -> Iterator[Flaw]:
    """At most one warning: for the first condition whose requests queue before they are sent."""
    for condition in design.conditions:
        facts, load = design.facts.get(condition.id), condition.load
        if facts is None or load.peak_per_second is None:
            continue
        at_once = load.peak_per_second * mean_wait(facts.waits)
        if at_once <= load.most_in_flight:
            continue
        evidence = (
            f"{plain_in(load.peak_per_second, UNITS['/s'])} are {at_once:,.0f} requests at once, as "
            f"{waits_in_words(facts.waits)}, and there are {in_flight_in_words(load)}: the queue before them grows as "
            f"long as {'the load' if load.is_stationary else 'that rate'} lasts"
        )
        yield Flaw("warning", "load.connections", evidence, f"`connections = {2 * ceil(at_once)}`, or a lower rate")
        return
