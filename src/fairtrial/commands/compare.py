"""`fairtrial compare`: two results of the same experiment, side by side."""

from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.further_reports import JUnit, Markdown


def compare(
    before: Annotated[Path, typer.Argument(help="A results folder that `fairtrial run` wrote.", metavar="BEFORE")],
    after: Annotated[Path, typer.Argument(help="Another, of the same experiment.", metavar="AFTER")],
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="The metric to compare, instead of goodput; may be repeated.")
    ] = None,
    margin: Annotated[
        float, typer.Option(help="How much worse is a regression, as a share: 0.05 is 5%.", min=0.0, max=10.0)
    ] = 0.05,
    junit: JUnit = None,
    markdown: Markdown = None,
) -> None:
    """Compare two runs of one experiment: two versions of a runtime, two machines.

    Between two runs a slower machine cannot be told from a slower program. Two commits of your service are tried in the
    same blocks by `fairtrial ab-test`.

    Exit status: 0 no regression; 1 a figure is worse by more than the margin, and its interval excludes no change; 3
    something could not be compared; 4 nothing could; 2 wrong use.
    """
    from rich.console import Console

    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, NOTHING_RAN, REFUTED
    from fairtrial.base.problem import Problem
    from fairtrial.judge.metrics import find_metric
    from fairtrial.record.read import read_record
    from fairtrial.report.files import write_text
    from fairtrial.tools.compare.comparison import compare as compare_results
    from fairtrial.tools.compare.comparison import judge_run
    from fairtrial.tools.compare.outputs import comparison_junit, comparison_markdown
    from fairtrial.tools.compare.table import print_comparison

    try:
        metrics = [find_metric(name) for name in dict.fromkeys(metric or ["goodput"])]
    except ValueError as error:
        raise Problem(f"--metric: {error}", "docs/claims.md explains them") from error
    old, new = judge_run(*read_record(before)), judge_run(*read_record(after))
    comparison = compare_results(old, new, metrics, margin)
    if junit is not None:
        write_text(junit, comparison_junit(comparison, new.result.name, new.result.started_at))
    if markdown is not None:
        write_text(markdown, comparison_markdown(comparison, new.result.title))
    print_comparison(comparison, Console())
    if comparison.regressions:
        raise typer.Exit(REFUTED)
    if len(comparison.not_compared) == len(comparison.rows):
        raise typer.Exit(NOTHING_RAN)
    raise typer.Exit(IN_DOUBT if comparison.not_compared else ALL_WELL)
