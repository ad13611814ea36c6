"""A comparison as JSON, and its rows as CSV has them."""

import math
from typing import Literal

from pydantic import Field

from fairtrial.base.document import Document
from fairtrial.base.strict import Strict
from fairtrial.base.units import BaseUnit
from fairtrial.tools.compare.comparison import Change, FigureRow, RunComparison


class ComparedFigure(Strict):
    """One figure of one condition, before and after."""

    condition: str = Field(description="its id, which is the same on both sides")
    contender: str
    metric: str = Field(description="its name, as claims have it")
    unit: BaseUnit
    before: float | None = Field(description="median over the blocks of one run, or over several runs")
    after: float | None = Field(description="likewise")
    ratio: float | None = Field(description="after / before; empty: not compared, or both are lower bounds")
    lower: float | None = Field(description="lower end of the ratio's interval; empty: there is none, or it is open")
    upper: float | None = Field(description="its upper end, likewise")
    level: float | None = Field(description="of the interval, so that all changes hold together")
    before_is_lower_bound: bool
    after_is_lower_bound: bool
    change: Change
    reason: str | None = Field(description="why it was not compared")


class ComparisonDocument(Document):
    """Two sides of one experiment, figure by figure."""

    kind: Literal["fairtrial/comparison"] = Field("fairtrial/comparison", alias="schema")
    version: Literal[1] = 1
    experiment: str
    margin: float = Field(description="how much worse is a regression, as a share")
    level: float = Field(description="at which all changes hold together")
    runs_before: int
    runs_after: int
    run_spread: float = Field(description="the scatter of whole runs that was assumed; 0: several runs tell it")
    warnings: list[str] = Field(description="what else differs beside the programs")
    figures: list[ComparedFigure]


def comparison_document(comparison: RunComparison, experiment: str) -> ComparisonDocument:
    """The document of a comparison."""
    before, after = comparison.runs
    return ComparisonDocument(
        experiment=experiment,
        margin=comparison.margin,
        level=comparison.level,
        runs_before=before,
        runs_after=after,
        run_spread=comparison.run_spread,
        warnings=list(comparison.warnings),
        figures=[_figure(row) for row in comparison.rows],
    )


def _figure(row: FigureRow) -> ComparedFigure:
    before, after = (bounds == "median" for bounds in row.bounds)
    lower, upper = row.reach
    return ComparedFigure(
        condition=row.condition,
        contender=row.contender,
        metric=row.metric.name,
        unit=row.metric.unit,
        before=row.before,
        after=row.after,
        ratio=None if row.ratio is None or (before and after) else row.ratio.estimate,
        lower=lower if math.isfinite(lower) else None,
        upper=upper if math.isfinite(upper) else None,
        level=row.level,
        before_is_lower_bound=before,
        after_is_lower_bound=after,
        change=row.change,
        reason=row.reason,
    )
