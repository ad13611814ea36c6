"""`fairtrial why`: the ratio of two contenders, divided among what was switched between them."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairtrial.base.formatting import count
from fairtrial.commands.complete import experiment_names, stack_names
from fairtrial.commands.further_reports import DataOptions, MonitorOptions, ReviewOptions, further_reports
from fairtrial.commands.option_groups import with_option_groups
from fairtrial.commands.run_options import RunOptions, SelectionOptions

if TYPE_CHECKING:
    from fairtrial.judge.model import Result


@with_option_groups
def why(
    place: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT",
            help="An experiment file with `[why]`, or the name of a shipped one; or the results folder of one. "
            "With TO: a stack.",
            autocompletion=experiment_names,
        ),
    ],
    to: Annotated[
        str | None,
        typer.Argument(
            metavar="TO",
            help="Another stack: a file is written that proposes what can be switched from the first to it.",
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
    each does, and what no factor switches. Of a results folder, the record is judged again, and nothing is run.
    `fairtrial why python-fastapi python-flask` writes a file to begin with.

    Exit status: 0 the ratio is divided, all trials valid, all claims upheld; 1 a claim refuted or equal; 2 wrong use, a
    broken file or a worthless design; 3 the ratio is not told from 1, a trial was refused or not run, or a claim is
    undecided; 4 nothing could run; 130 interrupted.
    """
    from rich.console import Console

    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT
    from fairtrial.base.problem import Problem
    from fairtrial.commands.carry_out import carry_out
    from fairtrial.commands.further_reports import write_further
    from fairtrial.experiment.changes import with_settings
    from fairtrial.experiment.files import find_experiment, load_experiment
    from fairtrial.judge.judging import judge_record
    from fairtrial.judge.outcome import exit_status
    from fairtrial.lab.private_network import assert_within
    from fairtrial.record.read import read_record
    from fairtrial.report.terminal import print_answer, print_result

    if to is not None:
        _assert_nothing_to_run(options, selection, but="stacks", because="a file is written, and nothing is run")
        _propose(place, to, selection.stacks or ())
        return
    reports = further_reports(data, review, monitor)
    console = Console(stderr=reports.use_stdout)
    problem = None
    if Path(place).is_dir() or place.endswith(".xz"):
        _assert_nothing_to_run(options, selection)
        record, trials = read_record(Path(place))
        result = judge_record(record, trials)
        answer = _answer(result, place)
        write_further(result, trials, reports)
        if options.verbose:
            print_result(result, console, verbose=True)
        else:
            print_answer(result, console, answer)
    else:
        file = find_experiment(place)
        experiment = load_experiment(file)
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
        result, problem = carry_out(
            console,
            changed,
            file,
            options,
            selection,
            left_out=too_long,
            answer=lambda result: _answer(result, place),
            reports=reports,
        )
    status = exit_status(result)
    is_divided = result.causes is not None and result.causes.reason is None
    raise typer.Exit(IN_DOUBT if status == ALL_WELL and (problem or not is_divided) else status)


def _propose(start: str, end: str, folders: Sequence[Path]) -> None:
    """Write the file that proposes factors.

    Raises:
        Problem: there is no such stack, or the file is there already.
    """
    from fairtrial.base.problem import Problem
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.plan.propose_why import propose_why
    from fairtrial.plan.selection import stack_reference

    proposal = propose_why(find_stacks(folders), stack_reference(start), stack_reference(end))
    file = Path(f"{proposal.name}.toml")
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(proposal.text)
    except FileExistsError:
        raise Problem(f"{file}: it is there already", f"fairtrial why {file}, or remove it") from None
    factors = f"{count(proposal.factors, 'factor')} and {proposal.comments} more as comments"
    print(f"{file} has {factors}: strike some or add others, then\nfairtrial why {file}")


def _assert_nothing_to_run(
    *options: RunOptions | SelectionOptions, but: str = "", because: str = "of a results folder nothing is run"
) -> None:
    """Refuse options about a run where nothing is run, but one of them."""
    from fairtrial.base.problem import Problem

    names = [
        f"--{each.name}"
        for group in options
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
