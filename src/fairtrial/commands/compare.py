"""`fairtrial compare`: two results of the same experiment, side by side."""

from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.further_reports import DataOptions, ReviewOptions
from fairtrial.commands.option_groups import with_option_groups

VERSUS = "vs"


@with_option_groups
def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Results folders that `fairtrial run` wrote, of the same experiment: one before and one after; or "
            f"several of each, with `{VERSUS}` between them.",
            metavar=f"BEFORE... [{VERSUS}] AFTER...",
        ),
    ],
    data: DataOptions,
    review: ReviewOptions,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="The metric to compare, instead of goodput; may be repeated.")
    ] = None,
    margin: Annotated[
        float, typer.Option(help="How much worse is a regression, as a share: 0.05 is 5%.", min=0.0, max=10.0)
    ] = 0.05,
    run_spread: Annotated[
        float,
        typer.Option(
            help="Of one run on each side: by how much whole runs of one program scatter on this machine, as a share "
            "(standard deviation). Several runs tell it themselves.",
            min=0.0,
            max=1.0,
        ),
    ] = 0.05,
) -> None:
    """Compare two runs of one experiment: two versions of a runtime, two machines.

    Between two runs a slower machine cannot be told from a slower program, so that only large changes are named; with
    three or more runs on each side (compare A1 A2 A3 vs B1 B2 B3) they tell what moves a whole run. Two commits of your
    service are tried in the same blocks by `fairtrial ab-test`.

    Exit status: 0 no regression; 1 a figure is worse by more than the margin, and its interval excludes no change; 3
    no regression, but something could not be compared; 4 nothing could be compared; 2 wrong use, or a broken record.
    """
    from rich.console import Console

    from fairtrial.base.csv_text import csv_text
    from fairtrial.base.document import json_text
    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, NOTHING_RAN, REFUTED
    from fairtrial.commands.metric_option import metrics_named
    from fairtrial.record.read import read_record
    from fairtrial.report.outputs import check_outputs, write_outputs
    from fairtrial.tools.compare.comparison import compare_runs as compare_results
    from fairtrial.tools.compare.comparison import judge_run
    from fairtrial.tools.compare.document import ComparedFigure, comparison_document
    from fairtrial.tools.compare.outputs import comparison_junit, comparison_markdown
    from fairtrial.tools.compare.table import print_comparison

    paths = {**data.paths, **review.paths}
    use_stdout = check_outputs(paths)
    metrics = metrics_named(metric)
    before, after = sides(runs)
    old, new = ([judge_run(*read_record(Path(run))) for run in side] for side in (before, after))
    comparison = compare_results(old, new, metrics, margin, run_spread)
    last = new[0].result
    document = comparison_document(comparison, last.name)
    write_outputs(
        paths,
        {
            "--json": lambda: json_text(document),
            "--csv": lambda: csv_text(ComparedFigure, document.figures),
            "--junit": lambda: comparison_junit(comparison, last.name, last.started_at),
            "--markdown": lambda: comparison_markdown(comparison, last.title),
        },
    )
    print_comparison(comparison, Console(stderr=use_stdout))
    if comparison.regressions:
        raise typer.Exit(REFUTED)
    if len(comparison.not_compared) == len(comparison.rows):
        raise typer.Exit(NOTHING_RAN)
    raise typer.Exit(IN_DOUBT if comparison.not_compared else ALL_WELL)


def sides(runs: list[str]) -> tuple[list[str], list[str]]:
    """The runs before and after: two, or those on either side of `vs`.

    Raises:
        Problem: that is not what they are, or there are too few runs to be one value each.
    """
    from fairtrial.base.formatting import count
    from fairtrial.base.problem import Problem
    from fairtrial.judge.statistics.student import MINIMUM_BLOCKS

    remedy = f"fairtrial compare BEFORE AFTER, or fairtrial compare A1 A2 A3 {VERSUS} B1 B2 B3"
    if runs.count(VERSUS) > 1 or (VERSUS not in runs and len(runs) != 2):
        raise Problem(f"{count(len(runs), 'folder')} without one `{VERSUS}` between those before and after", remedy)
    at = runs.index(VERSUS) if VERSUS in runs else 1
    before, after = runs[:at], runs[at + (VERSUS in runs) :]
    if not before or not after:
        raise Problem(f"no folder on one side of `{VERSUS}`", remedy)
    if (len(before), len(after)) != (1, 1) and min(len(before), len(after)) < MINIMUM_BLOCKS:
        raise Problem(
            f"{len(before)} and {count(len(after), 'run')}: a run is one value, and so few carry no interval",
            f"{MINIMUM_BLOCKS} runs or more on each side, or one on each, whose blocks are then the values",
        )
    return before, after
