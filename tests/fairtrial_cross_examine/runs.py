"""Printed runs for tests: an honest one, and what is changed in it."""

from collections.abc import Iterator
from typing import Any

from fairtrial_cross_examine.contradictions import all_kinds
from fairtrial_cross_examine.contradictions.model import Contradiction
from fairtrial_cross_examine.figures import exactly, figure
from fairtrial_cross_examine.model import Evidence, Figure, PrintedRun, StatedRatio, Times

HONEST: dict[str, Any] = {
    "name": "honest",
    "source": "honest.txt",
    "tool": "some",
    "load": "closed",
    "connections": 50,
    "seconds": figure("10.00"),
    "requests": exactly(100_000),
    "rate_per_second": figure("10000.00"),
    "times": Times(
        mean=figure("4.90", 1e-3),
        deviation=figure("1.20", 1e-3),
        minimum=figure("0.90", 1e-3),
        maximum=figure("31.00", 1e-3),
        percentiles={"50": figure("4.70", 1e-3), "99": figure("9.10", 1e-3)},
    ),
    "document_bytes": exactly(5113),
}


def a_run(**changes: Any) -> PrintedRun:
    """An honest run with these fields instead of its own; `times` may be the fields of its times that change."""
    times = changes.pop("times", {})
    kept = HONEST["times"].model_copy(update=times) if isinstance(times, dict) else times
    return PrintedRun.model_validate({**HONEST, "times": kept, **changes})


def milliseconds(text: str) -> Figure:
    return figure(text, 1e-3)


def contradictions_of(kind: str, *runs: PrintedRun, ratios: list[StatedRatio] | None = None) -> list[Contradiction]:
    """The contradictions of one kind in these runs."""
    return list(_examined(kind, Evidence(runs=list(runs), ratios=ratios or [])))


def _examined(kind: str, evidence: Evidence) -> Iterator[Contradiction]:
    yield from all_kinds()[kind].examine(all_kinds()[kind], evidence)
