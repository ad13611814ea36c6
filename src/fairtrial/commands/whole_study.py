"""All experiments of a published study, one after the other: `fairtrial run STUDY --all`."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.cluster.options import LaneOptions
from fairtrial.commands.further_reports import FurtherReports
from fairtrial.commands.run_options import RunOptions, SelectionOptions

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from fairtrial.experiment.model import Experiment
    from fairtrial.judge.model import Result
    from fairtrial.plan.plan import Plan

Change = Callable[["Experiment"], "tuple[Experiment, list[str]]"]
"""An experiment with what the command line says, and the ids of claims that are left out with it."""


@dataclass
class _Part:
    """One experiment of the study."""

    name: str
    file: Path
    experiment: "Experiment"
    left_out: Sequence[str]
    seconds: tuple[float, float]
    """how long its trials take, at least and at most"""
    is_guess: bool
    """whether that is the plan's guess, as no result of the experiment ships"""
    result: "Result | None"
    """None: it has not been run to its end"""


def run_study(
    console: "Console",
    name: str,
    change: Change,
    options: RunOptions,
    selection: SelectionOptions,
    hosts: LaneOptions,
    reports: FurtherReports,
) -> int:
    """Conduct the experiments of a study that have no complete result in `OUT/STUDY`, print the verdicts of all, and
    return the exit status: of several that of the first in the order 130, 1, 3 and 4.

    Raises:
        Problem: there is no such study, options exclude each other, or an experiment cannot be planned.
    """
    from fairtrial.base.exit_status import INTERRUPTED
    from fairtrial.base.problem import Problem
    from fairtrial.commands.carry_out import carry_out
    from fairtrial.commands.output import print_problem
    from fairtrial.experiment.studies import find_study

    study = find_study(name)
    if reports.names:
        which = " and ".join(reports.names)
        raise Problem(f"--all and {which} exclude each other", f"run one experiment, or leave out {which}")
    options = replace(options, out=options.out / study.name)
    parts = [_part(each, file, change, options, selection, hosts) for each, file in sorted(study.experiments.items())]
    to_run = [part for part in parts if part.result is None]
    console.print(f"{study.title}: {_announcement(parts, options.out)}", highlight=False)
    interrupted = False
    for number, part in enumerate(to_run, 1):
        console.rule(f"{number} of {len(to_run)}: {part.name}")
        try:
            result, _ = carry_out(
                console, part.experiment, part.file, options, selection, hosts, left_out=part.left_out
            )
            interrupted = result.interrupted
            part.result = None if interrupted else result
        except Problem as problem:
            print_problem(problem)
            interrupted = problem.exit_status == INTERRUPTED
        if interrupted:
            break
    console.rule(study.title)
    console.print(_verdicts(parts))
    console.print(_summary(parts), highlight=False)
    if interrupted:
        console.print("Interrupted: the same command goes on with the experiments that have no complete result.")
        return INTERRUPTED
    return _status(parts)


def _part(
    name: str, file: Path, change: Change, options: RunOptions, selection: SelectionOptions, hosts: LaneOptions
) -> _Part:
    """An experiment of the study with its plan's duration, and with its result where a complete run of exactly this
    plan lies in the folder."""
    from fairtrial.catalog.stacks.contenders import checked_out
    from fairtrial.commands.carry_out import planned
    from fairtrial.experiment.files import load_experiment
    from fairtrial.experiment.studies import usual_trial_seconds
    from fairtrial.plan.plan import planned_seconds

    shipped_experiment = load_experiment(file)
    experiment, left_out = change(shipped_experiment)
    with checked_out(experiment, file.parent) as checkouts:
        plan, _ = planned(experiment, file, checkouts, options, selection, hosts)
    usual = usual_trial_seconds(name) if experiment.load == shipped_experiment.load else None
    trials = plan.trials_until_first_end
    least = planned_seconds(trials, experiment.load) if usual is None else trials * usual
    seconds = (least, max(plan.within_seconds or 0.0, least))
    return _Part(name, file, experiment, left_out, seconds, usual is None, _earlier_result(options.out, plan))


def _earlier_result(folder: Path, plan: "Plan") -> "Result | None":
    """The result of the last complete run of this plan's experiment in the folder, by today's checks."""
    from fairtrial.base.problem import Problem
    from fairtrial.judge.judging import judge_record
    from fairtrial.record.read import read_record

    for run in sorted(folder.glob(f"{plan.experiment.name}-[0-9]*"), reverse=True):
        with suppress(Problem):
            record, trials = read_record(run)
            is_of_this_plan = record.experiment.model_dump() == plan.experiment.model_dump()
            if is_of_this_plan and not (result := judge_record(record, trials)).interrupted:
                return result
    return None


def _announcement(parts: Sequence[_Part], folder: Path) -> str:
    """How many experiments are run and for how many minutes, and which are done."""
    from fairtrial.base.formatting import count, duration

    to_run = [part for part in parts if part.result is None]
    least, most = (duration(sum(part.seconds[end] for part in to_run)) for end in (0, 1))
    takes = least if least == most else f"{least} to {most}"
    guesses = sum(part.is_guess for part in to_run)
    guessed = f" (a guess for {guesses} of them, of which no result ships)" if guesses else ""
    complete = len(parts) - len(to_run)
    earlier = (
        f"; {complete} of {len(parts)} have complete results in {folder}, and are not run again" if complete else ""
    )
    return f"{count(len(to_run), 'experiment')}, about {takes} once everything is built{guessed}{earlier}"


def _verdicts(parts: Sequence[_Part]) -> "Table":
    """A row for each claim of each experiment."""
    from rich.table import Table
    from rich.text import Text

    from fairtrial.base.printable import printable
    from fairtrial.report.markdown import MARKS, claim_in_words

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("", "claim", "published", "measured"):
        table.add_column(title, overflow="fold")
    for part in parts:
        if part.result is None:
            table.add_row("–", part.name, "", "no result")
            continue
        for claim in part.result.claims:
            words = claim_in_words(claim)
            verdict = f"{MARKS[words.verdict]} {words.verdict}"
            cells = [verdict, f"{part.name}/{claim.id}", words.published, words.measured]
            table.add_row(*(Text(printable(cell)) for cell in cells))
    return table


def _summary(parts: Sequence[_Part]) -> str:
    """How many claims there are of each verdict: `12 claims: 7 upheld, 5 undecided`."""
    from collections import Counter

    from fairtrial.base.formatting import count

    verdicts = Counter(claim.verdict for part in parts if part.result is not None for claim in part.result.claims)
    each = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common())
    return f"{count(verdicts.total(), 'claim')}: {each}" if verdicts else "no claim has a result"


def _status(parts: Sequence[_Part]) -> int:
    """As the exit status of one experiment, of all of them."""
    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, NOTHING_RAN, REFUTED
    from fairtrial.judge.outcome import exit_status

    statuses = {NOTHING_RAN if part.result is None else exit_status(part.result) for part in parts}
    if REFUTED in statuses:
        return REFUTED
    if statuses == {NOTHING_RAN}:
        return NOTHING_RAN
    return ALL_WELL if statuses == {ALL_WELL} else IN_DOUBT
