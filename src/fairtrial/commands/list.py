"""`fairtrial list`: the available stacks, workloads, experiments and studies, and the metrics of claims."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import Field

from fairtrial.base.document import Document
from fairtrial.commands.further_reports import Json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from fairtrial.catalog.stacks.model import Stack


WIDEST_COLUMNS = 10_000
SCREEN_LINES = 40
"""Where all that is known takes more, names and titles are printed, unless more is asked for."""
Cell = str | int | list[str]


class ListedKind(StrEnum):
    """The kinds of things that can be listed."""

    stacks = "stacks"
    workloads = "workloads"
    experiments = "experiments"
    studies = "studies"
    metrics = "metrics"


class Listing(Document):
    """Names of one kind that can be given."""

    kind: Literal["fairtrial/list"] = Field("fairtrial/list", alias="schema")
    version: Literal[1] = 1
    of: ListedKind
    rows: list[dict[str, Cell]] = Field(description="one for each, by the titles of the printed table")


def list_available(
    kind: Annotated[
        ListedKind | None,
        typer.Argument(help="The kind of things to list; without it, the names of all.", show_default=False),
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD",
            help="All that is known of those in which these words occur, such as node or postgresql.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All that is known of all.")] = False,
    stacks: Annotated[
        list[Path] | None, typer.Option("--stacks", help="A folder with stacks of your own.", metavar="DIR")
    ] = None,
    json: Json = None,
) -> None:
    """List the available stacks, workloads, experiments, studies or metrics. For services, see `fairtrial services`."""
    from rich.console import Console

    from fairtrial.base.printable import printable
    from fairtrial.base.problem import Problem
    from fairtrial.commands.further_reports import print_or_write

    if kind is None:
        if json is not None:
            raise Problem("--json is of one kind", "name it: fairtrial list stacks --json FILE")
        _print(Console(), _names(stacks or []))
        Console().print(
            "\nMore of each: fairtrial list stacks, and so on. Databases: fairtrial services", highlight=False
        )
        return
    columns = _columns(kind, stacks or [])
    rows = [row for row in zip(*columns.values(), strict=True) if _has(row, words or [])]
    if not rows:
        raise Problem(
            f"{printable(' '.join(words or []), 80)}: in none of the {kind}", f"fairtrial list {kind} names all"
        )
    listing = Listing(of=kind, rows=[dict(zip(columns, row, strict=True)) for row in rows])
    texts = {title: list(map(_in_words, cells)) for title, cells in zip(columns, zip(*rows, strict=True), strict=True)}
    print_or_write(json, listing, lambda console: _print(console, texts, None if words or everything else kind))


def _in_words(cell: Cell) -> str:
    return ", ".join(cell) if isinstance(cell, list) else str(cell)


def _has(row: tuple[Cell, ...], words: list[str]) -> bool:
    text = " ".join(map(_in_words, row)).lower()
    return all(word.lower() in text for word in words)


def _print(console: "Console", columns: dict[str, list[str]], in_brief: ListedKind | None = None) -> None:
    """Print a table if all of it fits, else each name with the rest of its row beside it; no line is wider.

    Args:
        in_brief: of this kind, what takes more than a screen is printed as names and titles; None: it is not.
    """
    from rich.measure import Measurement
    from rich.table import Table

    rows = list(zip(*columns.values(), strict=True))
    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*row)
    if Measurement.get(console, console.options.update(max_width=WIDEST_COLUMNS), table).maximum > console.width:
        table = _below_one_another(list(columns), rows)
        if in_brief is not None and len(console.render_lines(table)) > SCREEN_LINES:
            _print_brief(console, columns, in_brief)
            return
    console.print(table)


def _print_brief(console: "Console", columns: dict[str, list[str]], kind: ListedKind) -> None:
    """Print names and titles, without the many experiments of studies, and how to see more."""
    from fairtrial.experiment.studies import STUDIES

    of_studies = {name for study in STUDIES.values() for name in study.experiments}
    rows = list(zip(columns[kind.value.removesuffix("s")], columns["title"], strict=True))
    listable = [row for row in rows if kind is not ListedKind.experiments or row[0] not in of_studies]
    console.print(_below_one_another(["", "title"], listable))
    if left_out := len(rows) - len(listable):
        console.print(f"\n{left_out} more are of studies: fairtrial list studies", highlight=False)
    console.print(f"\nMore of some: fairtrial list {kind} WORD; of all: --all", highlight=False)


def _below_one_another(titles: list[str], rows: Sequence[tuple[str, ...]]) -> "Table":
    """Each name, and beside it its title and below that the other columns: names are in one piece at any width."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", overflow="fold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, *cells in rows:
        others = dict(zip(titles[1:], cells, strict=True))
        title = others.pop("title", "")
        rest = "; ".join(f"{column}: {text}" for column, text in others.items() if text)
        table.add_row(name, Text("\n".join(filter(None, (title, rest)))))
    return table


def _names(stack_folders: list[Path]) -> dict[str, list[str]]:
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.catalog.workloads import workloads
    from fairtrial.experiment.files import shipped_experiments
    from fairtrial.experiment.studies import STUDIES

    of_studies = {name for study in STUDIES.values() for name in study.experiments}
    names = {
        ListedKind.stacks: list(find_stacks(stack_folders)),
        ListedKind.workloads: list(workloads()),
        ListedKind.experiments: [name for name in shipped_experiments() if name not in of_studies],
        ListedKind.studies: list(STUDIES),
    }
    further = {ListedKind.experiments: f", and {len(of_studies)} of studies"}
    return {
        "": [str(kind) for kind in names],
        "title": [", ".join(each) + further.get(kind, "") for kind, each in names.items()],
    }


def _columns(kind: ListedKind, stack_folders: list[Path]) -> dict[str, list[Cell]]:
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.catalog.stacks.model import Variant
    from fairtrial.catalog.workloads import workloads
    from fairtrial.experiment.files import load_experiment, shipped_experiments
    from fairtrial.experiment.studies import STUDIES
    from fairtrial.judge.metrics import METRICS, TIMES

    if kind is ListedKind.metrics:
        times = {f"{kind}_pN": f"any percentile of {kind.replace('_', ' ')}" for kind in TIMES}
        others = {**times, "capacity:OBJECTIVE": "the capacity of one objective"}
        return {
            "metric": [*METRICS, *others],
            "title": [*(metric.label for metric in METRICS.values()), *others.values()],
            "unit": [*(metric.unit for metric in METRICS.values()), *("seconds" for _ in times), "per_second"],
        }
    if kind is ListedKind.stacks:
        stacks = find_stacks(stack_folders).values()
        return {
            "stack": [stack.name for stack in stacks],
            "class": [stack.class_of(stack.variants.get("default") or Variant()) for stack in stacks],
            "variants": [["default", *_other_variants(stack)] for stack in stacks],
            "title": [stack.title for stack in stacks],
            "concurrency": [stack.concurrency for stack in stacks],
            "workloads": [list(stack.workloads) for stack in stacks],
            "services": [list(stack.services) for stack in stacks],
        }
    if kind is ListedKind.experiments:
        experiments = [load_experiment(path) for path in shipped_experiments().values()]
        return {
            "experiment": [experiment.name for experiment in experiments],
            "title": [experiment.title for experiment in experiments],
            "workload": [experiment.workload_name for experiment in experiments],
            "stacks": [list(map(str, experiment.stacks)) for experiment in experiments],
            "claims": [len(experiment.claims) for experiment in experiments],
        }
    if kind is ListedKind.studies:
        return {
            "study": list(STUDIES),
            "title": [study.title for study in STUDIES.values()],
            "experiments": [list(study.experiments) for study in STUDIES.values()],
        }
    return {
        "workload": list(workloads()),
        "title": [workload.title for workload in workloads().values()],
        "services": [list(workload.services) for workload in workloads().values()],
    }


def _other_variants(stack: "Stack") -> list[str]:
    """Their names, each with its class where that is not the stack's own."""
    variants = sorted((name, variant) for name, variant in stack.variants.items() if name != "default")
    return [
        f"{name} ({variant.stack_class})" if variant.stack_class not in (None, stack.stack_class) else name
        for name, variant in variants
    ]
