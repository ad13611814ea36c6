"""Compared sides that may do unequally much at once: what a verdict shows is then a setting."""

from collections.abc import Iterator

from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.design.model import Design, DesignSeverity, Flaw, FlawKind
from fairtrial.judge.design.sides import Pair, pairs, speed_claims

REMEDY = (
    "give both the same, or say at the top of the file why they differ: "
    'unequal_budgets = "…"; the sentence of the claim then says both'
)


def examine(design: Design) -> Iterator[Flaw]:
    """A stop for each claim on speed whose sides differ by more than their names say; a note if the file says why."""
    stated = design.experiment.unequal_budgets
    for claim in speed_claims(design):
        for pair in pairs(claim, design):
            words = _difference(pair, design)
            if words is None:
                continue
            severity: DesignSeverity = "stop" if stated is None else "note"
            because = "" if stated is None else f", as the experiment says: “{stated.strip().rstrip('.')}”"
            yield Flaw(severity, "of" if hasattr(claim, "of") else "order", f"{words}{because}", REMEDY, claim.id)
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


KIND = FlawKind(
    name="unequal-budgets",
    looks_for="compared sides of which one may do more at once (MAX_CONCURRENCY; MAX_THREADS, DB_POOL, UPSTREAM_POOL × "
    "WEB_CONCURRENCY; CONCURRENCY), where neither the sweep nor `unequal_budgets` says so",
    examine=examine,
)
