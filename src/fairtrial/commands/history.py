"""`fairtrial history`: the figures of many runs, for a detector of change points."""

from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.further_reports import Json


def history(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Results folders that `fairtrial run` wrote, of one experiment.", metavar="RUN..."),
    ],
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="The metric to export, instead of goodput; may be repeated.")
    ] = None,
    out: Annotated[
        Path, typer.Option(help="The folder for EXPERIMENT.csv and otava.yaml, made if need be.", metavar="DIR")
    ] = Path("history"),
    json: Json = None,
) -> None:
    """Export the runs of one experiment over weeks, a line a run, and the configuration by which Apache Otava reads it.

    A detector of change points says in which run a figure changed to stay so; `compare` says whether two sides differ.

    Exit status: 0 written; 2 wrong use.
    """
    from rich.console import Console
    from rich.markup import escape

    from fairtrial.base.document import json_text
    from fairtrial.base.formatting import count
    from fairtrial.commands.metric_option import metrics_named
    from fairtrial.judge.judging import judge_record
    from fairtrial.record.read import read_record
    from fairtrial.report.files import write_text
    from fairtrial.report.outputs import check_outputs, write_outputs
    from fairtrial.tools.history.document import history_document
    from fairtrial.tools.history.otava import otava_text
    from fairtrial.tools.history.table import csv_text, history_of

    use_stdout = check_outputs({"--json": json})
    metrics = metrics_named(metric)
    of_runs = history_of([(run.resolve().name, judge_record(*read_record(run))) for run in runs], metrics)
    out.mkdir(parents=True, exist_ok=True)
    figures, configuration = out / f"{of_runs.experiment}.csv", out / "otava.yaml"
    write_text(figures, csv_text(of_runs))
    write_text(configuration, otava_text(of_runs, figures))
    write_outputs({"--json": json}, {"--json": lambda: json_text(history_document(of_runs))})
    console = Console(highlight=False, stderr=use_stdout)
    summary = f"{count(len(of_runs.runs), 'run')}, {count(len(of_runs.columns), 'figure')}"
    console.print(escape(f"{summary}: {figures} and {configuration}"))
    for column in of_runs.columns:
        if gaps := of_runs.gaps(column):
            console.print(escape(f"{column.name}: missing in {count(gaps, 'run')}, and so not in {configuration.name}"))
    console.print(escape(f"change points: otava analyze {of_runs.experiment} --config-file {configuration}"))
