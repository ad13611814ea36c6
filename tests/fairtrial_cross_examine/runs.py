"""Printed runs for tests: an honest one, and what is changed in it."""

from collections.abc import Iterator
from typing import Any

from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.contradictions.model import Contradiction
from fairtrial_cross_examine.figures import as_figure, exactly
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun, RunTimes, StatedRatio

HONEST: dict[str, Any] = {
    "name": "honest",
    "source": "honest.txt",
    "tool": "some",
    "load": "closed",
    "connections": 50,
    "seconds": as_figure("10.00"),
    "requests": exactly(100_000),
    "rate_per_second": as_figure("10000.00"),
    "times": RunTimes(
        mean=as_figure("4.90", 1e-3),
        deviation=as_figure("1.20", 1e-3),
        minimum=as_figure("0.90", 1e-3),
        maximum=as_figure("31.00", 1e-3),
        percentiles={"50": as_figure("4.70", 1e-3), "99": as_figure("9.10", 1e-3)},
    ),
    "document_bytes": exactly(5113),
}


def a_run(**changes: Any) -> PrintedRun:
    """An honest run with these fields instead of its own; `times` may be the fields of its times that change."""
    times = changes.pop("times", {})
    kept = HONEST["times"].model_copy(update=times) if isinstance(times, dict) else times
    return PrintedRun.model_validate({**HONEST, "times": kept, **changes})


def milliseconds(text: str) -> Figure:
    return as_figure(text, 1e-3)


def contradictions_of(kind: str, *runs: PrintedRun, ratios: list[StatedRatio] | None = None) -> list[Contradiction]:
    """The contradictions of one kind in these runs."""
    return list(_examined(kind, PrintedOutput(runs=list(runs), ratios=ratios or [])))


def _examined(kind: str, evidence: PrintedOutput) -> Iterator[Contradiction]:
    yield from contradiction_kinds()[kind].examine(contradiction_kinds()[kind], evidence)
