"""`fairtrial why`: the ratio of two contenders, divided among what was switched between them."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairtrial.commands.complete import experiment_names, stack_names
from fairtrial.commands.further_reports import (
    DataOptions,
    FurtherReports,
    MonitorOptions,
    ReviewOptions,
    further_reports,
)
from fairtrial.commands.option_groups import with_option_groups
from fairtrial.commands.run_options import RunOptions, SelectionOptions

if TYPE_CHECKING:
    from fairtrial.base.problem import Problem
    from fairtrial.experiment.model import Experiment
    from fairtrial.judge.model import Result


@with_option_groups
def why(
    place: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT",
            help="An experiment file with `[why]`, or the name of a shipped one; or the results folder of one. "
            "With TO: a stack, a contender, or a commit.",
            autocompletion=experiment_names,
        ),
    ],
    to: Annotated[
        str | None,
        typer.Argument(
            metavar="TO",
            help="Another stack: a file is written that proposes what can be switched from the first to it. Or, of the "
            "fairtrial.toml that lies here, another contender: the variables that it sets otherwise are switched; or a "
            "later commit: those in between are tried.",
            autocompletion=stack_names,
        ),
    ] = None,
    *,
    selection: SelectionOptions,
    options: RunOptions,
    data: DataOptions,
    review: ReviewOptions,
    monitor: MonitorOptions,
) -> None:
    """Find out why one contender is faster than another: which part of the ratio each factor has.

    The experiment's `[why]` names two contenders, and steps between them (commits, for example) or factors: variants,
    variables or a setting. All combinations of up to four factors are conditions of the same blocks; of more, a
    fraction of them. The answer is each factor's share of the ratio, with an interval, what two do together beyond what
    each does, and what no factor switches. Blocks are added until the shares are known to 10 points, for ten minutes at
    most. Of a results folder, the record is judged again, and nothing is run.

    `fairtrial why python-fastapi python-flask` writes a file to begin with. `fairtrial why v1.2 HEAD`, in a service's
    folder, tells which commit made it slower: of more than ten commits, ten are tried, and then those between two. Of
    one commit that changes lock files, it tells which package did.

    Exit status: 0 the ratio is divided, all trials valid, all claims upheld; 1 a claim refuted or equal; 2 wrong use, a
    broken file or a worthless design; 3 the ratio is not told from 1, a trial was refused or not run, or a claim is
    undecided; 4 nothing could run; 130 interrupted.
    """
    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT
    from fairtrial.base.locations import PROJECT_FILE
    from fairtrial.commands.why_start import service_to_try, write_proposal
    from fairtrial.experiment.files import find_experiment, load_experiment
    from fairtrial.judge.outcome import exit_status

    own = None if to is None else service_to_try(place, to, selection.stacks or ())
    if to is not None and own is None:
        _assert_unused(
            options, selection, data, review, monitor, but="stacks", because="a file is written, and nothing is run"
        )
        write_proposal(place, to, selection.stacks or ())
        return
    reports = further_reports(data, review, monitor)
    problem = None
    if own is not None:
        result, problem = _conduct(own, Path(PROJECT_FILE), options, selection, reports)
    elif Path(place).is_dir() or place.endswith(".xz"):
        _assert_unused(options, selection, because="of a results folder nothing is run")
        result = _judge_again(place, reports, verbose=options.verbose)
    else:
        file = find_experiment(place)
        result, problem = _conduct(load_experiment(file), file, options, selection, reports)
    status = exit_status(result)
    is_divided = result.causes is not None and result.causes.reason is None
    raise typer.Exit(IN_DOUBT if status == ALL_WELL and (problem or not is_divided) else status)


def _judge_again(place: str, reports: FurtherReports, *, verbose: bool) -> "Result":
    """Judge the record of a results folder, and print the answer.

    Raises:
        Problem: the folder has no record of a `[why]`, or a report cannot be written.
    """
    from rich.console import Console

    from fairtrial.commands.further_reports import write_further
    from fairtrial.judge.judging import judge_record
    from fairtrial.record.profile import read_profiles
    from fairtrial.record.read import read_record
    from fairtrial.report.profile.terminal import profile_parts
    from fairtrial.report.terminal import print_result

    console = Console(stderr=reports.use_stdout)
    record, trials = read_record(Path(place))
    result = judge_record(record, trials)
    answer = _answer(result, place)
    write_further(result, trials, reports)
    profile = profile_parts(read_profiles(Path(place)), verbose=verbose)
    print_result(result, console, None, profile, verbose=verbose, answer=answer)
    return result


def _conduct(
    experiment: "Experiment", file: Path, options: RunOptions, selection: SelectionOptions, reports: FurtherReports
) -> "tuple[Result, Problem | None]":
    """Conduct the experiment; return its result and the problem that stopped it, which has been printed.

    Raises:
        Problem: the file has no [why], leaves a part of it out, or is no experiment that can be conducted.
    """
    from rich.console import Console

    from fairtrial.base.problem import Problem
    from fairtrial.commands.carry_out import carry_out
    from fairtrial.experiment.changes import with_settings
    from fairtrial.lab.private_network import assert_within

    if experiment.why is None:
        raise Problem(f"{file}: it has no [why]", "write one (docs/why.md), or use fairtrial run")
    if missing := experiment.why.not_among([] if selection.stack else experiment.condition_refs):
        raise Problem(
            f"{file}: [why] needs {', '.join(missing)}: not all of that would be tried",
            "leave --stack out, and `stacks` of the file; of a contender with `refs`, name one, as in app:main",
        )
    assert_within(experiment.contenders.values())
    changed, too_long = with_settings(
        experiment, blocks=options.blocks, minutes=options.minutes, slices=options.slices, quick=options.quick
    )
    return carry_out(
        Console(stderr=reports.use_stdout),
        changed,
        file,
        options,
        selection,
        left_out=too_long,
        answer=lambda result: _answer(result, str(file)),
        reports=reports,
    )


def _assert_unused(
    *groups: RunOptions | SelectionOptions | DataOptions | ReviewOptions | MonitorOptions, because: str, but: str = ""
) -> None:
    """Refuse options that would do nothing, but one of them.

    Raises:
        Problem: one was given.
    """
    from fairtrial.base.problem import Problem

    names = [
        f"--{each.name}"
        for group in groups
        for each in fields(group)
        if each.name not in ("verbose", but) and getattr(group, each.name) not in (each.default, [])
    ]
    if names:
        raise Problem(f"{', '.join(names)}: {because}", "leave it out")


def _answer(result: "Result", place: str) -> str:
    from fairtrial.base.problem import Problem
    from fairtrial.report.causes import answer_sentence

    if result.causes is None:
        raise Problem(
            f"{place}: not all conditions of a [why] were tried", "run the experiment by fairtrial why: docs/why.md"
        )
    return answer_sentence(result.causes)
