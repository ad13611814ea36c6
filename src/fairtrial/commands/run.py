"""`fairtrial run`: conduct an experiment and judge it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairtrial.commands.further_reports import JUnit, Markdown

if TYPE_CHECKING:
    from fairtrial.base.problem import Problem
    from fairtrial.experiment.model import Experiment as ExperimentModel
    from fairtrial.judge.model import Result
    from fairtrial.lab.conduct import Conducted
    from fairtrial.plan.plan import Plan

Experiment = Annotated[
    str,
    typer.Argument(help="An experiment file, or the name of a shipped one (`fairtrial list experiments`)."),
]
Stack = Annotated[
    list[str] | None,
    typer.Option("--stack", help="Try only this stack, NAME or NAME:VARIANT. Repeat for several.", metavar="NAME"),
]
Stacks = Annotated[
    list[Path] | None,
    typer.Option(
        "--stacks",
        help="A folder with stacks of your own (or one stack): they are tried beside the experiment's. "
        "**Stacks are programs: they are built and run as you.**",
        metavar="DIR",
    ),
]
Workloads = Annotated[
    list[Path] | None,
    typer.Option("--workloads", help="A folder in which workload files are looked for, too.", metavar="DIR"),
]
Blocks = Annotated[int | None, typer.Option(min=1, help="Blocks: one trial of every stack each, in random order.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of the order of trials.")]
Out = Annotated[Path, typer.Option(help="Where the results folder NAME-TIME is made.", metavar="DIR")]
Decide = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        metavar="MINUTES",
        help="Add blocks while a claim is undecided, until so many minutes have passed. The error rate is held for the "
        "looks taken: intervals are wider than those of a run that looks once.",
    ),
]
NoiseFloor = Annotated[
    bool,
    typer.Option(
        "--noise-floor",
        help="Try the first stack twice in each block, under two names: how different do equals look here?",
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Three blocks of short trials: a look, not a judgement.")]


def run(
    experiment: Experiment = "quickstart",
    stack: Stack = None,
    stacks: Stacks = None,
    workloads: Workloads = None,
    blocks: Blocks = None,
    seed: Seed = None,
    out: Out = Path("results"),
    decide: Decide = None,
    noise_floor: NoiseFloor = False,
    quick: Quick = False,
    junit: JUnit = None,
    markdown: Markdown = None,
) -> None:
    """Conduct an experiment: every stack on trial, every claim judged.

    Exit status: 0 all trials valid and all claims upheld; 1 a claim refuted; 2 wrong use or a broken file;
    3 a trial refused or not run, or a claim undecided; 4 nothing could run; 130 interrupted.
    """
    from rich.console import Console

    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT
    from fairtrial.commands.output import print_problem
    from fairtrial.experiment.changes import with_settings
    from fairtrial.experiment.files import find_experiment, load_experiment
    from fairtrial.judge.judging import judge
    from fairtrial.judge.outcome import exit_status
    from fairtrial.lab.announce import announce
    from fairtrial.lab.conduct import conduct
    from fairtrial.lab.progress import progress_on
    from fairtrial.lab.results_folder import results_folder
    from fairtrial.report.terminal import print_result

    console = Console()
    file = find_experiment(experiment)
    changed, too_long = with_settings(
        load_experiment(file), blocks=blocks, seed=seed, quick=quick, noise_floor=noise_floor
    )
    plan, not_tried = _plan(
        changed,
        file,
        named=stack or [],
        own_folders=stacks or [],
        workloads=workloads or [],
        until_decided=decide is not None,
    )
    announce(console, plan, [*too_long, *not_tried])
    with results_folder(out, plan.experiment.name) as results:
        with progress_on(console) as watcher:
            conducted = conduct(plan, results, watcher, None if decide is None else 60 * decide)
        result = judge(conducted.record, conducted.trials, interrupted=conducted.interrupted)
        report, problem = _write_reports(result, conducted, results, junit=junit, markdown=markdown)
    print_result(result, console, report)
    if problem:
        print_problem(problem)
    status = exit_status(result)
    raise typer.Exit(IN_DOUBT if problem and status == ALL_WELL else status)


def _plan(
    experiment: "ExperimentModel",
    file: Path,
    *,
    named: list[str],
    own_folders: list[Path],
    workloads: list[Path],
    until_decided: bool,
) -> "tuple[Plan, list[str]]":
    """The plan over the stacks to try, and the ids of claims that are left out with stacks that are not."""
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.plan.make import make_plan
    from fairtrial.plan.selection import select_stacks

    known = find_stacks(own_folders)
    selected, left_out = select_stacks(experiment, known, named=named, own_folders=own_folders)
    return make_plan(selected, known, file, until_decided=until_decided, workloads=workloads), left_out


def _write_reports(
    result: "Result", conducted: "Conducted", results: Path, *, junit: Path | None, markdown: Path | None
) -> "tuple[Path | None, Problem | None]":
    """Write every report, unless a problem stopped the run; return the HTML report and the problem, if any."""
    from fairtrial.base.problem import Problem
    from fairtrial.commands.further_reports import write_further
    from fairtrial.report.files import write_reports

    if conducted.problem is not None:
        return None, conducted.problem
    report = None
    try:
        report = write_reports(result, conducted.record, conducted.trials, results)
        write_further(result, junit=junit, markdown=markdown)
    except Problem as problem:
        return report, problem
    return report, None
