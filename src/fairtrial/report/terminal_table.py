"""The table of conditions in the terminal, in the form for which there is room."""

from collections.abc import Callable, Iterator, Sequence
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
UNLIMITED = 10_000
"""So wide is a console on which a table has the width that it would like."""


@dataclass(frozen=True)
class Form:
    """How the table is set."""

    columns: Sequence[Column]
    """those after goodput"""
    gap: int
    is_wide: bool
    """class, interval and limit have columns of their own; else each stands below what it belongs to"""
    outcome_below: bool = False
    """the outcome stands below the name"""


def fitting_table(result: Result, console: Console) -> tuple[Table, Sequence[Column]]:
    """The table in the first form that the console has room for, and the columns after goodput that it shows."""
    forms = list(_forms(other_columns(result)))
    fitting = (form for form in forms if _width(result, form, console) <= console.width)
    form = next(fitting, forms[-1])
    return _table(result, form), form.columns


def _width(result: Result, form: Form, console: Console) -> int:
    """How wide the table is in this form, with long names folded."""
    table = _table(result, form)
    table.columns[0].max_width = NAME_CHARACTERS
    return table.__rich_measure__(console, console.options.update_width(UNLIMITED)).maximum


def _forms(columns: Sequence[Column]) -> Iterator[Form]:
    """The forms from the widest to the narrowest."""
    wide = Form(columns, 2, is_wide=True)
    yield wide
    yield replace(wide, gap=1)
    narrow = replace(wide, gap=1, is_wide=False)
    yield narrow
    narrow = replace(narrow, outcome_below=True)
    yield narrow
    # What only some results have is what they are about, so it stays longer; the median stays in any case.
    for column in [*reversed(ALWAYS[1:]), *(column for column in reversed(columns) if column not in ALWAYS)]:
        narrow = replace(narrow, columns=[each for each in narrow.columns if each != column])
        yield narrow


def _table(result: Result, form: Form) -> Table:
    table = Table(box=None, padding=(0, form.gap, 0, 0), show_edge=False, header_style="bold")
    table.add_column("stack", overflow="fold", min_width=10)
    parts = list(_parts(result, form))
    for part in parts:
        table.add_column(part.title, justify=part.justify, no_wrap=True)
    for condition in in_order(result.conditions):
        table.add_row(_name(result, condition, form), *(part.cell(condition) for part in parts))
    return table


@dataclass(frozen=True)
class _Part:
    """A column of the table."""

    title: str
    justify: Literal["left", "right"]
    cell: Callable[[ConditionResult], RenderableType]


def _parts(result: Result, form: Form) -> Iterator[_Part]:
    """The columns after the first."""
    limited = any(condition.limit is not None for condition in result.conditions)
    if form.is_wide and shows_class(result.conditions):
        yield _Part("class", "left", lambda condition: condition.stack_class)
    if any(condition.rank is not None for condition in result.conditions):
        yield _Part("rank", "right", rank)
    if form.is_wide:
        yield _Part("goodput/s", "right", lambda condition: figure_cell(GOODPUT.of(condition)))
        yield _Part(f"{FIGURES_AT} interval", "right", lambda condition: _interval(condition) or "–")
    else:
        yield _Part("goodput/s", "right", _goodput)
    for column in form.columns:
        yield _Part(f"{column.title}\n{column.unit}", "right", partial(_figure, column))
    if form.is_wide and limited:
        yield _Part("limit", "left", lambda condition: _limit(condition) or "–")
    if not form.outcome_below:
        title = "outcome\nlimit" if limited and not form.is_wide else "outcome"
        yield _Part(title, "left", partial(_outcome, with_limit=not form.is_wide))


def _name(result: Result, condition: ConditionResult, form: Form) -> Text:
    """The name, and below it what has no column."""
    name = Text(printable(condition.contender), style="bold")
    if not form.is_wide and shows_class(result.conditions):
        name.append(f"\n{condition.stack_class}", "not bold dim")
    if form.outcome_below:
        name.append("\n").append_text(_outcome(condition, with_limit=True))
    if not_proven(condition):
        name.append(f"\n{NOT_PROVEN}", "not bold yellow")
    return name


def _goodput(condition: ConditionResult) -> Text:
    """The estimate, and below it its interval."""
    interval = _interval(condition)
    return Text.assemble(figure_cell(GOODPUT.of(condition)), (f"\n{interval}" if interval else "", "dim"))


def _interval(condition: ConditionResult) -> str:
    goodput = GOODPUT.of(condition)
    return "" if goodput is None or goodput.interval is None else span(goodput.interval)


def _figure(column: Column, condition: ConditionResult) -> str:
    return figure_cell(column.of(condition))


def _outcome(condition: ConditionResult, *, with_limit: bool) -> Text:
    limit = _limit(condition) if with_limit else ""
    outcome = Text(condition.outcome, style=OUTCOME_STYLES[condition.outcome])
    return outcome.append(f"\n{limit}", "not bold dim") if limit else outcome


def _limit(condition: ConditionResult) -> str:
    return limit_in_words(condition).removeprefix("limit: ")
