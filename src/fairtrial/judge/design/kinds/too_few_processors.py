"""A claim that more processes gain something, on a server without a processor for them."""

from collections.abc import Iterator

from fairtrial.base.formatting import count, plain
from fairtrial.experiment.claims import Claim, MetricClaim
from fairtrial.judge.design.model import Design, DesignSeverity, Flaw, FlawKind
from fairtrial.judge.design.room import times_in_words
from fairtrial.judge.design.sides import gain


def examine(design: Design) -> Iterator[Flaw]:
    """A refusal of each verdict that the claim says needs more processors; else a stop where more processes can gain
    nothing but processors, and a warning where they may wait for something meanwhile."""
    server = design.server_processors
    if server is None:
        return
    for claim in design.experiment.claims:
        needs = claim.server_processors if isinstance(claim, MetricClaim) else None
        if needs is None:
            flaw = _unstated(claim, design, server)
            if flaw is not None:
                yield flaw
        elif needs > server:
            evidence = f"it is about {count(needs, 'processor')} of the server, and the server has {server}"
            remedy = f"run it where the server has {needs}: on a machine with {needs + 1} processors or more"
            yield Flaw("refusal", "server_processors", evidence, remedy, claim.id)


def _unstated(claim: Claim, design: Design, server: int) -> Flaw | None:
    wanted_gain = gain(claim)
    if wanted_gain is None:
        return None
    more, less, times, key = wanted_gain
    if more.stack.name != less.stack.name:
        return None
    many, few = design.facts_of(more), design.facts_of(less)
    allowed = min(many.processes, server) / min(few.processes, server)
    if many.processes <= few.processes or many.processes <= server or times <= max(1.0, allowed):
        return None
    # On one processor nothing is at work beside anything else; of several, one process may use less than one.
    nothing_to_gain = server == 1 and many.at_once == few.at_once and many.only_computes and few.only_computes
    severity: DesignSeverity = "stop" if nothing_to_gain else "warning"
    evidence = (
        f"it asks for a gain of {times_in_words(times)} by {many.processes} processes over "
        f"{few.processes}, and the server has {count(server, 'processor')}, which allows {plain(allowed)}"
    )
    remedy = (
        f"run it where the server has {many.processes} processors; with `server_processors = {many.processes}` in the "
        f"claim, its verdict is withheld elsewhere, and with `server_processors = {server}` it is about {server}"
    )
    return Flaw(severity, key, evidence, remedy, claim.id)


KIND = FlawKind(
    name="too-few-processors",
    looks_for="one stack with more processes on one side (WEB_CONCURRENCY × instances), a claim of a gain, and a "
    "server with fewer processors",
    examine=examine,
)
