"""`fairtrial report`: judge a record again and rebuild its reports."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(help="A results folder that `fairtrial run` wrote.", metavar="DIR")],
) -> None:
    """Rebuild result.json and report.html from the record alone, with today's checks.

    The exit status is that of `fairtrial run`.
    """
    from rich.console import Console

    from fairtrial.judge.exit_status import exit_status
    from fairtrial.judge.judging import judge_record
    from fairtrial.record.read import read_record
    from fairtrial.report.files import write_reports
    from fairtrial.report.terminal import print_result

    experiment, trials = read_record(folder)
    result = judge_record(experiment, trials)
    print_result(result, Console(), write_reports(result, experiment, trials, folder))
    raise typer.Exit(exit_status(result))
