"""`fairtrial ab-test`: two commits of a service, in the same blocks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairtrial.base.locations import PROJECT_FILE
from fairtrial.commands.further_reports import DataOptions, MonitorOptions, ReviewOptions, further_reports
from fairtrial.commands.option_groups import with_option_groups
from fairtrial.commands.run_options import RunOptions

if TYPE_CHECKING:
    from rich.console import Console

    from fairtrial.judge.model import Result


@with_option_groups
def ab_test(
    options: RunOptions,
    data: DataOptions,
    review: ReviewOptions,
    monitor: MonitorOptions,
    before: Annotated[
        str | None,
        typer.Argument(metavar="REF_A", help="The commit, branch or tag before the change; or both as `main..HEAD`."),
    ] = None,
    after: Annotated[str | None, typer.Argument(metavar="REF_B", help="The one after it.")] = None,
    file: Annotated[
        Path, typer.Option(metavar="FILE", help="The experiment, with `[contenders.NAME]` and its `folder`.")
    ] = Path(PROJECT_FILE),
    contender: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which contender, if several have a folder.")
    ] = None,
    margin: Annotated[str, typer.Option(metavar="SHARE", help="How much slower is allowed: `5%`, or `0.05`.")] = "5%",
) -> None:
    """Try two commits of a service in the same blocks, to find out whether a change made it slower.

    Run it in the service's repository. Without refs, the commit at which HEAD left the default branch is compared with
    HEAD, or with the working tree if files that git knows have changed. Both are built apart, from worktrees that are
    removed afterwards. In each block both are started and measured in turn, in slices of 0.4 s; rounds in which other
    programs were at work are left out. Blocks are added until that is decided, for three minutes at most if the file
    does not say. Processor time for a request is judged by them as well, and does not decide the exit status.

    Exit status: 0 not slower than the margin allows: the whole interval says so; 1 slower: the whole interval says so;
    3 undecided, or a trial was refused or not run; 4 nothing could run; 2 wrong use; 130 interrupted.
    """
    from rich.console import Console

    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, REFUTED
    from fairtrial.base.formatting import enumeration
    from fairtrial.base.problem import Problem
    from fairtrial.catalog.stacks.repository import Repository, usual_refs
    from fairtrial.commands.carry_out import carry_out
    from fairtrial.experiment.ab_test import between_refs, contender_of, in_slices
    from fairtrial.experiment.changes import with_settings
    from fairtrial.experiment.contenders import WORKING_TREE, short_ref
    from fairtrial.experiment.files import load_experiment
    from fairtrial.lab.private_network import assert_within

    if not file.exists():
        raise Problem(
            f"there is no {file} here",
            "`fairtrial init`, in the folder of the service, writes one; or name it with --file",
        )
    allowed = _share(margin)
    experiment = load_experiment(file)
    assert_within(experiment.contenders.values())
    name = contender_of(experiment, contender)
    repository = Repository.of((file.parent / Path(experiment.contenders[name].folder or ".").expanduser()).resolve())
    refs = _refs(before, after) or usual_refs(repository)
    paired = between_refs(experiment, name, *refs, allowed)
    reports = further_reports(data, review, monitor)
    console = Console(stderr=reports.use_stdout)
    if options.slices is not False:
        paired, why_not = in_slices(paired, experiment)
        if why_not is not None:
            _say(console, f"one after the other, not in slices: {why_not}")
    if experiment.sweep is not None:
        _say(console, f"left out: the sweep over {experiment.sweep.parameter}; both are tried with what [load] says")
    new_files = (
        [each for each in repository.unknown_files() if Path(each) != options.out] if WORKING_TREE in refs else []
    )
    if new_files:
        _say(console, f"left out, as git does not know them: {enumeration(new_files)} (`git add` takes them in)")
    changed, _ = with_settings(paired, blocks=options.blocks, minutes=options.minutes, quick=options.quick)
    left_out = [claim.id for claim in experiment.claims]

    def answer(result: "Result") -> str:
        return f"{name}: {_answer(result, refs, margin)}"

    result, problem = carry_out(console, changed, file, options, left_out=left_out, answer=answer, reports=reports)
    status = _status(result)
    if options.verbose:
        _say(console, f"\n{answer(result)}")
    if status == REFUTED and not options.profile:
        names = " ".join(map(short_ref, refs))
        _say(console, f"which commit made it so: fairtrial why {names}; what it does: the same with --profile")
    raise typer.Exit(IN_DOUBT if problem and status == ALL_WELL else status)


def _say(console: "Console", text: str) -> None:
    console.print(text, markup=False, highlight=False)


def _refs(before: str | None, after: str | None) -> tuple[str, str] | None:
    """The refs that are named, `A B` or `A..B`; None if none is.

    Raises:
        Problem: one alone is.
    """
    from fairtrial.base.problem import Problem

    if before is None:
        return None
    if after is None:
        before, _, after = before.partition("..")
    if not before or not after or after.startswith("."):
        raise Problem("two refs are compared, and one is named", "write REF_A REF_B or REF_A..REF_B, or neither")
    return before, after


def _share(text: str) -> float:
    """A margin as a share: 0.05 of `5%` or `0.05`.

    Raises:
        Problem: it is none, or not between 0 and 1.
    """
    from fairtrial.base.problem import Problem

    number = text.strip()
    try:
        share = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise Problem(f"--margin {text}: not a share between 0 and 1", "write 5% or 0.05")
    return share


def _answer(result: "Result", refs: tuple[str, str], margin: str) -> str:
    """The answer in one line: `HEAD is slower than main by more than 5%`."""
    from fairtrial.experiment.ab_test import DECIDES
    from fairtrial.experiment.contenders import short_ref

    verdicts = {claim.id: claim.verdict for claim in result.claims}
    before, after = map(short_ref, refs)
    words = {
        "upheld": f"{after} is not slower than {before} by more than {margin}",
        "refuted": f"{after} is slower than {before} by more than {margin}",
    }
    undecided = f"whether {after} is slower than {before} by more than {margin} is undecided"
    return words.get(verdicts.get(DECIDES, "undecided"), undecided)


def _status(result: "Result") -> int:
    """The exit status of the claim that decides; that of `run` where trials are missing."""
    from fairtrial.experiment.ab_test import DECIDES
    from fairtrial.judge.outcome import exit_status

    deciding = [claim for claim in result.claims if claim.id == DECIDES]
    return exit_status(result.model_copy(update={"claims": deciding}))
