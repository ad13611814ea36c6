"""The table of conditions in the terminal, in the form for which there is room."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import span
from fairtrial.base.printable import printable
from fairtrial.judge.model import ConditionResult, Result
from fairtrial.report.columns import (
    ALWAYS,
    FIGURES_AT,
    GOODPUT,
    NOT_PROVEN,
    Column,
    figure_cell,
    in_order,
    limit_in_words,
    not_proven,
    other_columns,
    rank,
    shows_class,
)

OUTCOME_STYLES = {"valid": "green", "refused": "bold red", "not run": "yellow"}
NAME_CHARACTERS = 24
"""Longer names of conditions are folded before a column is left out."""
FEW_ROWS = 5
"""So many rows are still a part of a screen with two lines each."""
UNLIMITED = 10_000
"""So wide is a console on which a table has the width that it would like."""


@dataclass(frozen=True)
class Form:
    """How the table is set."""

    columns: Sequence[Column]
    """those after goodput"""
    gap: int
    is_wide: bool
    """Class, limit and outcome have columns of their own. Otherwise what is the same in all rows stands below the
    table, a class above its rows, and an outcome in place of the figure that is missing."""
    interval_below: bool = False
    """two lines a row: the interval stands below its figure, and the class below the name"""
    has_limits: bool = True


@dataclass(frozen=True)
class FittingTable:
    """The table in the first form that a console has room for."""

    table: Table
    columns: Sequence[Column]
    """those after goodput that it shows"""
    in_all_rows: str
    """what is left out of each row, because it is the same in all: `in all rows: valid, limit: its CPU`; or empty"""
    without_room: Sequence[str]
    """the titles of what is not shown"""


def fitting_table(result: Result, console: Console) -> FittingTable:
    """The table in the first form that the console has room for."""
    columns = other_columns(result)
    forms = list(_forms(columns, len(result.conditions)))
    fitting = (form for form in forms if _width(result, form, console) <= console.width)
    form = next(fitting, forms[-1])
    without_room = [column.title for column in columns if column not in form.columns]
    if not form.has_limits and not _common_limit(_valid(result)):
        without_room.append("limit")
    in_all_rows = ", ".join(_in_all_rows(result, form))
    if in_all_rows:
        rows = "rows" if len(_valid(result)) == len(result.conditions) else "rows with figures"
        in_all_rows = f"in all {rows}: {in_all_rows}"
    return FittingTable(_table(result, form), form.columns, in_all_rows, without_room)


def _width(result: Result, form: Form, console: Console) -> int:
    """How wide the table is in this form, with long names folded."""
    table = _table(result, form)
    table.columns[0].max_width = NAME_CHARACTERS
    return table.__rich_measure__(console, console.options.update_width(UNLIMITED)).maximum


def _forms(columns: Sequence[Column], rows: int) -> Iterator[Form]:
    """The forms from the widest to the narrowest. Of many rows each is one line, as long as the median has room."""
    wide = Form(columns, 2, is_wide=True)
    yield wide
    yield replace(wide, gap=1)
    brief = Form(columns, 1, is_wide=False)
    yield brief
    below = replace(brief, interval_below=True)
    for form in [below] if rows <= FEW_ROWS else [brief, below]:
        yield form
        remaining = list(form.columns)
        # What only some results have is what they are about, so it stays longer, and p99 longer still; the median
        # stays in any case.
        _median, p99, *others = ALWAYS
        of_some = (column for column in reversed(columns) if column not in ALWAYS)
        for column in [*reversed(others), *of_some, p99]:
            remaining.remove(column)
            yield replace(form, columns=list(remaining))
        yield replace(form, columns=remaining, has_limits=False)


def _vary(texts: Iterable[str]) -> bool:
    return len(set(texts)) > 1


def _in_all_rows(result: Result, form: Form) -> Iterator[str]:
    """Words that each row with figures would repeat, and the table leaves out."""
    if not form.is_wide:
        if shows_class(result.conditions) and not _vary(each.stack_class for each in result.conditions):
            yield result.conditions[0].stack_class
        if valid := _valid(result):
            yield "valid"
        if limit := _common_limit(valid):
            yield limit
    if _all_unproven(result):
        yield NOT_PROVEN


def _valid(result: Result) -> list[ConditionResult]:
    return [condition for condition in result.conditions if condition.outcome == "valid"]


def _common_limit(conditions: Sequence[ConditionResult]) -> str:
    """The limit of all of these, in words; empty if they have several, or none."""
    limits = {limit_in_words(condition) for condition in conditions}
    return limits.pop() if len(limits) == 1 else ""


def _all_unproven(result: Result) -> bool:
    valid = _valid(result)
    return len(valid) > 1 and all(map(not_proven, valid))


def _table(result: Result, form: Form) -> Table:
    table = Table(box=None, padding=(0, form.gap, 0, 0), show_edge=False, header_style="bold")
    table.add_column("stack", overflow="fold", min_width=10)
    parts = list(_parts(result, form))
    for part in parts:
        table.add_column(part.title, justify=part.justify, no_wrap=True)
    conditions = in_order(result.conditions)
    has_classes = not form.is_wide and _vary(each.stack_class for each in conditions)
    heading = None
    for condition in conditions:
        name = Text(printable(condition.contender), style="bold")
        if has_classes and form.interval_below:
            name.append(f"\n{condition.stack_class}", "not bold dim")
        elif has_classes and condition.stack_class != heading:
            heading = condition.stack_class
            table.add_row(Text(heading, "dim"))
        if not_proven(condition) and not _all_unproven(result):
            name.append(f"\n{NOT_PROVEN}", "not bold yellow")
        table.add_row(name, *(part.cell(condition) for part in parts))
    return table


@dataclass(frozen=True)
class _Part:
    """A column of the table."""

    title: str
    justify: Literal["left", "right"]
    cell: Callable[[ConditionResult], RenderableType]


def _parts(result: Result, form: Form) -> Iterator[_Part]:
    """The columns after the first."""
    conditions = result.conditions
    if form.is_wide and shows_class(conditions):
        yield _Part("class", "left", lambda condition: condition.stack_class)
    if any(condition.rank is not None for condition in conditions):
        yield _Part("rank", "right", rank)
    yield _Part("goodput/s", "right", partial(_goodput, form=form))
    if not form.interval_below:
        yield _Part(f"{FIGURES_AT} interval", "right", lambda condition: _interval(condition) or "–")
    for column in form.columns:
        yield _Part(f"{column.title}\n{column.unit}", "right", partial(_figure, column))
    if form.has_limits and any(map(limit_in_words, conditions)) and (form.is_wide or not _common_limit(_valid(result))):
        yield _Part("limit", "left", lambda condition: limit_in_words(condition).removeprefix("limit: ") or "–")
    if form.is_wide:
        yield _Part("outcome", "left", _outcome)


def _goodput(condition: ConditionResult, form: Form) -> Text:
    """The estimate, and below it its interval, if that has no column. Without a column of outcomes, the outcome stands
    in place of a figure that is missing."""
    if not form.is_wide and condition.outcome != "valid":
        return _outcome(condition)
    text = Text(figure_cell(GOODPUT.of(condition)))
    if form.interval_below and (interval := _interval(condition)):
        text.append(f"\n{interval}", "dim")
    return text


def _interval(condition: ConditionResult) -> str:
    goodput = GOODPUT.of(condition)
    return "" if goodput is None or goodput.interval is None else span(goodput.interval)


def _figure(column: Column, condition: ConditionResult) -> str:
    return figure_cell(column.of(condition))


def _outcome(condition: ConditionResult) -> Text:
    return Text(condition.outcome, style=OUTCOME_STYLES[condition.outcome])
