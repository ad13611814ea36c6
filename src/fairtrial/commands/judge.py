"""`fairtrial judge`: judge a record again, by its own claims or by those of another file."""

from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.further_reports import DataOptions, MonitorOptions, ReviewOptions, Verbose
from fairtrial.commands.option_groups import with_option_groups


@with_option_groups
def judge(
    place: Annotated[
        Path,
        typer.Argument(
            help="A results folder that `fairtrial run` wrote, or its record.jsonl, compressed by xz (.xz) or not, "
            "beside which nothing is written.",
            metavar="DIR",
        ),
    ],
    data: DataOptions,
    review: ReviewOptions,
    monitor: MonitorOptions,
    claims: Annotated[
        str | None,
        typer.Option(
            metavar="EXPERIMENT",
            help="Judge by the claims of this experiment file instead of the record's own. Without --out, nothing is "
            "written then.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder for result.json and report.html. [default: the record's]"),
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Judge a record with today's checks, and rebuild result.json and report.html from the record alone.

    The exit status is that of `fairtrial run`.
    """
    from rich.console import Console

    from fairtrial.base.text_file import make_folder
    from fairtrial.commands.further_reports import further_reports, write_further
    from fairtrial.experiment.changes import with_claims_of
    from fairtrial.experiment.files import find_experiment, load_experiment
    from fairtrial.judge.claims import recorded_names
    from fairtrial.judge.judging import judge_record
    from fairtrial.judge.outcome import exit_status
    from fairtrial.plan.validate import validate_claims
    from fairtrial.record.profile import read_profiles
    from fairtrial.record.read import read_record
    from fairtrial.report.files import write_reports
    from fairtrial.report.profile.terminal import profile_parts
    from fairtrial.report.terminal import print_result

    reports = further_reports(data, review, monitor)
    console = Console(stderr=reports.use_stdout)
    record, trials = read_record(place)
    profiles = read_profiles(place)
    if claims is not None:
        file = find_experiment(claims)
        experiment, left_out = with_claims_of(record.experiment, load_experiment(file), file)
        validate_claims(experiment, file, recorded_names(record, trials))
        record = record.model_copy(update={"experiment": experiment})
        if left_out:
            console.print(f"left out, because the record does not hold their conditions: {', '.join(left_out)}")
    result = judge_record(record, trials, claims_stated="before" if claims is None else "after")
    target = out if out is not None or claims is not None or not place.is_dir() else place
    report = None
    if target is not None:
        make_folder(target)
        report = write_reports(result, record, trials, target, profiles)
    write_further(result, trials, reports)
    print_result(result, console, report, profile_parts(profiles, verbose=verbose), verbose=verbose)
    raise typer.Exit(exit_status(result))
