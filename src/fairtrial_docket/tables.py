"""Tables of many rows: data inside the page, which docket.js shows, filters and sorts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fairtrial.base.formatting import span
from fairtrial.base.printable import printable
from fairtrial.judge.model import ConditionResult
from fairtrial.report.columns import Column, figure_cell

Cell = str | list[str | float | None]
"""A text; or `[text, small text, address, value to sort by]`."""


@dataclass(frozen=True)
class TableColumn:
    """A column, and whether rows are chosen by its values or sorted by them."""

    title: str
    use: Literal["text", "choice", "number"] = "text"


def table_data(columns: Sequence[TableColumn], rows: Sequence[Sequence[Cell]]) -> dict[str, object]:
    """The data for docket.js."""
    return {"columns": [[column.title, column.use] for column in columns], "rows": rows}


def estimate_cell(column: Column, condition: ConditionResult) -> Cell:
    """A figure with its interval, or the outcome in its place: no figure is zero because there is none."""
    estimate = column.of(condition)
    if condition.outcome != "valid":
        return condition.outcome
    if estimate is None:
        return "–"
    interval = "" if estimate.interval is None else span(estimate.interval, open_above=estimate.open_above)
    return [figure_cell(estimate), interval, None, estimate.estimate]


def text(value: object) -> str:
    """A text from a record or a board; `not told` for none."""
    return printable(str(value), 300) if value not in (None, "") else "not told"
