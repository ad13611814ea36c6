"""One contender under two settings, and a claim of a larger gain than waiting at once allows."""

from collections.abc import Iterator

from fairtrial.base.formatting import plain
from fairtrial.experiment.claims import Claim
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.design.model import Design, Flaw, FlawKind
from fairtrial.judge.design.room import bound_on_speed, times_in_words
from fairtrial.judge.design.sides import gain

AT_ONCE = (
    "load.connections",
    "load.streams",
    "concurrency_budget",
    "options.pool",
    "options.concurrency",
    "options.tasks",
    "env.MAX_CONCURRENCY",
    "env.MAX_THREADS",
    "env.DB_POOL",
    "env.UPSTREAM_POOL",
    "env.CONCURRENCY",
)
"""What a sweep can vary of how many waits there are at once."""


def examine(design: Design) -> Iterator[Flaw]:
    """A stop where the job is to wait and nothing else; a warning where waits are a part of it."""
    for claim in design.experiment.claims:
        if (flaw := _beyond(claim, design)) is not None:
            yield flaw


def _beyond(claim: Claim, design: Design) -> Flaw | None:
    wanted_gain = gain(claim)
    if wanted_gain is None:
        return None
    more, less, times, key = wanted_gain
    bounds = bound_on_speed(more, design), bound_on_speed(less, design)
    if bounds[0] is None or bounds[1] is None or not _waits_more(more, less, design):
        return None
    allowed = bounds[0][0] / bounds[1][0]
    if times <= max(1.0, allowed) * (1 + 1e-6):
        return None
    evidence = (
        f"it asks for a gain of {times_in_words(times)}, and waiting at once allows {plain(allowed)}: for {more} "
        f"{bounds[0][1]}, for {less} {bounds[1][1]}"
    )
    limit = allowed if key != "at_most" else 1 / allowed
    remedy = (
        f"ask for less than waiting allows, which is `{key} = {plain(limit)}` for a contender that costs nothing; or "
        "change the load so that it allows more"
    )
    nothing_else = all(design.facts_of(each).only_waits for each in (more, less))
    is_certain = nothing_else and times > _allowed_to_anybody(more, less, design) * (1 + 1e-6)
    return Flaw("stop" if is_certain else "warning", key, evidence, remedy, claim.id)


def _allowed_to_anybody(more: ConditionRef, less: ConditionRef, design: Design) -> float:
    """The gain that waiting allows to contenders that keep to no budget: that of the requests in flight.

    Where the budget itself is swept, who does not keep to it gains nothing.
    """
    ours, theirs = design.condition(more).load, design.condition(less).load
    return ours.most_in_flight / theirs.most_in_flight if theirs.offers_requests else 1.0


def _waits_more(more: ConditionRef, less: ConditionRef, design: Design) -> bool:
    """Whether `more` is the same contender with more waits at once."""
    sweep = design.experiment.sweep
    if sweep is None or sweep.parameter not in AT_ONCE or not design.same_stack((more, less)):
        return False
    return isinstance(more.at, int | float) and isinstance(less.at, int | float) and more.at > less.at


KIND = FlawKind(
    name="gain-beyond-waiting",
    looks_for="one contender at two values of a sweep, and a claim of a larger gain than its waits allow: 20 sleeps "
    "over 16 connections take two rounds, over 8 three",
    examine=examine,
)
