"""A claim about high percentiles of a closed load: pauses of the server hide in it."""

from collections.abc import Iterator

from fairtrial.judge.design.model import Design, Flaw, FlawKind
from fairtrial.judge.design.room import bound_on_speed, in_flight_in_words
from fairtrial.judge.design.sides import speed_claims
from fairtrial.judge.metrics import percentile_in

MEDIAN = 50.0
"""Up to it, a pause shows under no load unless the server stands still for half of the time."""


def examine(design: Design) -> Iterator[Flaw]:
    """A warning for each claim about a percentile above the median."""
    for claim in speed_claims(design):
        percentile = percentile_in(claim.metric)
        if percentile is None or float(percentile[1]) <= MEDIAN:
            continue
        references = claim.needs() or [
            each for each in design.experiment.condition_refs if each.stack in claim.curves()
        ]
        loads = [design.condition(each).load for each in references]
        closed = [load for load in loads if load.clients is not None]
        if not closed:
            continue
        clients = in_flight_in_words(max(closed, key=lambda load: load.most_in_flight))
        evidence = (
            f"the load is closed: while the server pauses, its {clients} ask for nothing more, so that pauses, however "
            f"long they are, hide in p{percentile[1]}"
        )
        bounds = [bound for each in references if (bound := bound_on_speed(each, design)) is not None]
        half = min((rate for rate, _ in bounds), default=0.0) / 2
        yield Flaw("warning", "metric", evidence, _open_form(half), claim.id)


def _open_form(half_per_second: float) -> str:
    """The open load to write instead: at half of the rate that the waits allow, or of one that only a run can tell."""
    rate, words = f"{half_per_second:.0f}", "half of what waiting at once allows"
    if half_per_second < 1:
        rate, words = "…", "half of the goodput that this load shows"
    return (
        f'in [load], `kind = "open"` and `rate_per_second = {rate}` ({words}, or the rate that you expect): an open '
        "load counts every request that a pause delays"
    )


KIND = FlawKind(
    name="closed-percentile",
    looks_for="a claim about a percentile above the median under a closed load: a pause delays one request for each "
    "connection, however long it is (coordinated omission)",
    examine=examine,
)
