"""`fairtrial history`: the figures of many runs over time, and in which run they changed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairtrial.commands.further_reports import Json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairtrial.tools.history.changes import Changes
    from fairtrial.tools.history.table import History

MOST_CHANGES = 6
"""With two lines of what else differed each, they fill a screen of 24 lines."""
MOST_DIFFERENCES = 2
LONGEST_DIFFERENCE = 110


def history(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Results folders that `fairtrial run` wrote, of one experiment.", metavar="RUN..."),
    ],
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="The metric to show, instead of goodput; may be repeated.")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The folder for the files that are written, made if need be.", metavar="DIR")
    ] = Path("history"),
    json: Json = None,
) -> None:
    """Show the runs of one experiment over weeks, and say in which run, and at which commit, a figure changed.

    Writes EXPERIMENT.html with a chart, EXPERIMENT.csv with a line a run, and otava.yaml, by which Apache Otava reads
    it. `compare` says whether two sides differ; a change is looked for from ten runs on.

    Exit status: 0 written; 2 wrong use.
    """
    from rich.console import Console
    from rich.markup import escape

    from fairtrial.base.document import json_text
    from fairtrial.base.text_file import make_folder, write_text
    from fairtrial.commands.metric_option import metrics_named
    from fairtrial.judge.judging import judge_record
    from fairtrial.record.read import read_record
    from fairtrial.report.outputs import check_outputs, write_outputs
    from fairtrial.tools.history.changes import changes_of
    from fairtrial.tools.history.document import history_document
    from fairtrial.tools.history.otava import otava_text
    from fairtrial.tools.history.page import history_page
    from fairtrial.tools.history.table import Run, history_csv, history_of

    use_stdout = check_outputs({"--json": json})

    def read(folder: Path) -> Run:
        record, trials = read_record(folder)
        return Run(folder.resolve().name, record, judge_record(record, trials))

    of_runs = history_of([read(run) for run in runs], metrics_named(metric))
    changes = changes_of(of_runs)
    make_folder(out)
    figures, page, configuration = (
        out / name for name in (f"{of_runs.experiment}.csv", f"{of_runs.experiment}.html", "otava.yaml")
    )
    write_text(figures, history_csv(of_runs))
    write_text(configuration, otava_text(of_runs, figures))
    write_text(page, history_page(of_runs, changes))
    write_outputs({"--json": json}, {"--json": lambda: json_text(history_document(of_runs, changes))})
    console = Console(highlight=False, stderr=use_stdout)
    for line in _lines(of_runs, changes):
        console.print(escape(line))
    console.print(escape(f"{page}; the figures: {figures}; for Apache Otava: {configuration}"), soft_wrap=True)


def _lines(of_runs: "History", changes: "Changes") -> "Iterator[str]":
    """Lines on what changed, what else differed there, and where figures are missing."""
    from fairtrial.base.formatting import count, enumeration
    from fairtrial.base.printable import printable
    from fairtrial.judge.statistics.trend import SHORTEST

    yield f"{of_runs.experiment}: {count(len(of_runs.runs), 'run')}, {count(len(of_runs.columns), 'figure')}"
    every = [*changes.steps, *changes.drifts]
    if len(changes.too_short) == len(of_runs.columns):
        yield f"a change is looked for from {SHORTEST} runs on that have a figure above 0"
    elif not every:
        yield "no figure changed, as far as these runs tell"
    for step in changes.steps[:MOST_CHANGES]:
        yield printable(step.in_words)
        differences = step.besides
        for line in differences[:MOST_DIFFERENCES]:
            yield f"  {printable(line, LONGEST_DIFFERENCE)}"
        if len(differences) > MOST_DIFFERENCES:
            more = count(len(differences) - MOST_DIFFERENCES, "more difference")
            yield f"  {more}: fairtrial compare {step.before.name} {step.run.name}"
    for drift in changes.drifts[: max(0, MOST_CHANGES - len(changes.steps))]:
        yield printable(drift.in_words)
    if len(every) > MOST_CHANGES:
        yield f"{len(every) - MOST_CHANGES} more: on the page"
    if gaps := [f"{each.name} in {of_runs.gaps(each)}" for each in of_runs.columns if of_runs.gaps(each)]:
        yield f"runs without a figure, which the page shows as crosses: {printable(enumeration(gaps))}"
