"""An open load whose connections cannot hold the requests that wait at its rate."""

from collections.abc import Iterator
from math import ceil

from fairtrial.base.formatting import plain_in
from fairtrial.base.units import UNITS
from fairtrial.judge.design.model import Design, Flaw, FlawKind
from fairtrial.judge.design.room import in_flight_in_words, mean_wait, waits_in_words


def examine(design: Design) -> Iterator[Flaw]:
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


KIND = FlawKind(
    name="rate-beyond-connections",
    looks_for="an open load whose rate times the delay of an answer is more than its connections",
    examine=examine,
)
