"""`fairtrial run`: conduct an experiment and judge it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fairtrial.cluster.options import LaneOptions
from fairtrial.commands.complete import experiment_names
from fairtrial.commands.further_reports import DataOptions, MonitorOptions, ReviewOptions, further_reports
from fairtrial.commands.option_groups import with_option_groups
from fairtrial.commands.run_options import RunOptions, SelectionOptions

Experiment = Annotated[
    str | None,
    typer.Argument(
        help="An experiment file, or the name of a shipped one (`fairtrial list experiments`). [default: the "
        "fairtrial.toml that lies here, else quickstart]",
        autocompletion=experiment_names,
    ),
]
Seed = Annotated[int | None, typer.Option(min=0, metavar="N", hidden=True, help="Seed of the order of trials.")]
NoiseFloor = Annotated[
    bool,
    typer.Option(
        "--noise-floor",
        help="Try the first stack twice in each block, under two names: how different do equals look here?",
        hidden=True,
    ),
]


class CrashAudits(StrEnum):
    """After which trials the database is killed."""

    some = "some"
    all = "all"
    none = "none"


CrashAudit = Annotated[
    CrashAudits | None,
    typer.Option(
        "--crash-audit",
        help="After which trials of a workload that writes the database is killed under a load of its own, to see "
        "whether what was acknowledged is still there; some: one in five, at least one of each stack.",
        show_default=False,
        hidden=True,
    ),
]

All = Annotated[
    bool,
    typer.Option(
        "--all",
        help="EXPERIMENT is a published study (`fairtrial list studies`): conduct each of its experiments that has no "
        "complete result in the folder DIR/STUDY of `--out`, and print the verdicts of all. After Ctrl-C the same "
        "command goes on.",
        hidden=True,
    ),
]


@with_option_groups
def run(
    selection: SelectionOptions,
    options: RunOptions,
    data: DataOptions,
    review: ReviewOptions,
    monitor: MonitorOptions,
    cluster: LaneOptions,
    experiment: Experiment = None,
    seed: Seed = None,
    noise_floor: NoiseFloor = False,
    crash_audit: CrashAudit = None,
    whole_study: All = False,
) -> None:
    """Conduct an experiment: every stack on trial, every claim judged.

    Exit status: 0 all trials valid and all claims upheld; 1 a claim refuted or equal; 2 wrong use, a broken file or a
    worthless design; 3 a trial refused or not run, or a claim undecided; 4 nothing could run; 130 interrupted.
    """
    from functools import partial

    from rich.console import Console

    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT
    from fairtrial.base.locations import PROJECT_FILE
    from fairtrial.commands.carry_out import carry_out
    from fairtrial.commands.whole_study import run_study
    from fairtrial.experiment.changes import with_settings
    from fairtrial.experiment.files import QUICKSTART, find_experiment, load_experiment
    from fairtrial.judge.outcome import exit_status
    from fairtrial.lab.private_network import assert_within

    reports = further_reports(data, review, monitor)
    console = Console(stderr=reports.use_stdout)
    change = partial(
        with_settings,
        blocks=options.blocks,
        minutes=options.minutes,
        slices=options.slices,
        seed=seed,
        quick=options.quick,
        noise_floor=noise_floor,
        crash_audit=None if crash_audit is None else crash_audit.value,
    )
    cluster.assert_consistent()
    if whole_study:
        raise typer.Exit(run_study(console, experiment or "", change, options, selection, cluster, reports))
    usual = PROJECT_FILE if Path(PROJECT_FILE).is_file() else QUICKSTART
    file = find_experiment(experiment or usual)
    loaded = load_experiment(file)
    if not cluster.is_elsewhere:
        assert_within(loaded.contenders.values())
    if experiment is None and usual == PROJECT_FILE:
        console.print(
            f"the {PROJECT_FILE} of this folder (for the quickstart: fairtrial run {QUICKSTART})", highlight=False
        )
    changed, too_long = change(loaded)
    result, problem = carry_out(console, changed, file, options, selection, cluster, left_out=too_long, reports=reports)
    status = exit_status(result)
    raise typer.Exit(IN_DOUBT if problem and status == ALL_WELL else status)
