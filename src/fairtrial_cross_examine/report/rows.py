"""The printed figures as rows: one for each figure of each run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.base.units import BaseUnit
from fairtrial_cross_examine.model import Figure, PrintedRun


class PrintedFigure(Strict):
    """One figure of one run, as its tool printed it."""

    run: str = Field(description="what the reader tells it by: the file with a number, or the name in a statement")
    source: str = Field(description="the file")
    tool: str
    metric: str = Field(description="`rate`, `mean`, `max`, `p99` and other percentiles as printed, …")
    value: float
    lower: float = Field(description="the least that rounds to what was printed")
    upper: float = Field(description="the most that does")
    unit: BaseUnit | Literal["count"]


_UNITS: Mapping[str, BaseUnit | Literal["count"]] = {
    "rate": "per_second", "constant_rate": "per_second", "requests": "count", "answers": "count",
}  # fmt: skip
"""Those that are no time."""


def figures_of(runs: Sequence[PrintedRun]) -> Iterator[PrintedFigure]:
    """A row for each figure that was printed, run by run."""
    for run in runs:
        for metric, figure in _printed(run):
            yield PrintedFigure(
                run=run.name,
                source=run.source,
                tool=run.tool,
                metric=metric,
                value=figure.value,
                lower=figure.low,
                upper=figure.high,
                unit=_UNITS.get(metric, "seconds"),
            )


def _printed(run: PrintedRun) -> Iterator[tuple[str, Figure]]:
    times = run.times
    figures = {
        "rate": run.rate_per_second,
        "constant_rate": run.constant_rate_per_second,
        "requests": run.requests,
        "answers": run.answers,
        "duration": run.seconds,
        "mean": times.mean,
        "deviation": times.deviation,
        "min": times.minimum,
        "max": times.maximum,
        "time_per_request": run.time_per_request_seconds,
        "time_across": run.time_across_seconds,
    }
    yield from ((metric, figure) for metric, figure in figures.items() if figure is not None)
    yield from ((f"p{name}", figure) for name, figure in times.percentiles.items())
