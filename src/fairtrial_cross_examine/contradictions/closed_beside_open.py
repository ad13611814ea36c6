"""Latencies of a closed load beside those of a load at a rate."""

from collections.abc import Iterator

from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import names, rate, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction where runs of both kinds have times."""
    timed = [run for run in evidence.runs if run.of_requests and _typical(run) is not None]
    closed = [run for run in timed if run.load == "closed"]
    opened = [run for run in timed if run.load == "open"]
    if not closed or not opened:
        return
    says = (
        f"{names([run.name for run in closed])}: a closed load, in which a client that waits sends nothing. "
        f"{names([run.name for run in opened])}: requests at a rate, whatever the answers do. Latencies of the one "
        "leave out what those of the other count, and cannot be compared."
    )
    yield kind.contradiction([run.name for run in (*closed, *opened)], says, dict(map(_figure, (*closed, *opened))))


def _typical(run: PrintedRun) -> Figure | None:
    return run.times.mean or run.times.percentiles.get("50")


def _figure(run: PrintedRun) -> tuple[str, str]:
    typical = _typical(run)
    assert typical is not None
    load = "closed"
    if run.load == "open":
        at = run.constant_rate_per_second or run.rate_per_second
        load = "at a rate" if at is None else f"at {rate(at.value)}"
    elif run.connections is not None:
        load = f"closed, {run.connections:,} connections"
    return run.name, f"{time(typical.value)}, {load}"


KIND = ContradictionKind(
    name="closed-beside-open",
    title="Latency of a closed load beside that of a load at a rate",
    formula="closed: rate = connections / mean latency, so that a slow answer holds back the next requests (coordinated"
    " omission: G. Tene, How NOT to Measure Latency, 2013); open: the rate is given",
    thresholds={},
    ask="What are the latencies of all contenders at the same rate, below what the slowest can do?",
    examine=examine,
)
