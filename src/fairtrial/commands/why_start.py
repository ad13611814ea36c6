"""The start of `fairtrial why`, from two names: a file that proposes factors, the commits between two or the packages
that one commit switched, or the variables in which two contenders differ."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.base.formatting import count
from fairtrial.base.locations import PROJECT_FILE
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of

if TYPE_CHECKING:
    from fairtrial.experiment.model import Experiment

LONGEST_LINE = 2000
"""Characters of a line that tells the packages of a step."""


def service_to_try(start: str, end: str, stack_folders: Sequence[Path]) -> "Experiment | None":
    """An experiment over two contenders of the fairtrial.toml that lies here, or over two commits of its service, and
    those between, or the packages that one commit switched; None: none lies here, or it is a stack that is named.

    Raises:
        Problem: it has no such contender and none with a folder, or several; or what changed it in between is one
            thing, or nothing.
    """
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.catalog.stacks.package_steps import package_steps
    from fairtrial.catalog.stacks.repository import Repository
    from fairtrial.experiment.ab_test import along_commits, between_contenders, contender_of
    from fairtrial.experiment.factorial import MOST_FACTORS, evenly_spread
    from fairtrial.experiment.files import load_experiment

    file = Path(PROJECT_FILE)
    if not file.is_file() or start.partition(":")[0] in find_stacks(stack_folders):
        return None
    experiment = load_experiment(file)
    if {start, end} <= experiment.contenders.keys():
        return between_contenders(experiment, start, end)
    if all(contender.folder is None for contender in experiment.contenders.values()):
        unknown = start if start not in experiment.contenders else end
        raise Problem(
            f"{unknown}: no contender of {PROJECT_FILE} is called so, and none has a folder whose commits could be "
            f"tried{instead_of(unknown, experiment.contenders)}",
            'name two of its contenders, or write [contenders.app] with `folder = "."`',
        )
    name = contender_of(experiment, None)
    folder = Path(experiment.contenders[name].folder or ".").expanduser()
    repository = Repository.of(folder.resolve())
    own_titles = {ref: repository.title_of_own(ref) for ref in (start, end)}
    # A step of packages does not come before the commit that all of them lead to, but is one step away from it.
    is_last = own_titles[start] is not None and own_titles[end] is None
    changes = [end] if is_last else repository.commits_between(start, end)
    if len(changes) == 1 and (steps := package_steps(repository, start, end, MOST_FACTORS)):
        print(f"{count(len(steps), 'step')} of what changed {name} between {start} and {end}:", file=sys.stderr)
        for step in steps:
            print(f"  {step.ref}: {printable(', '.join(step.changes), LONGEST_LINE)}", file=sys.stderr)
        if any(step.is_divisible for step in steps):
            print("ask again between two of them to divide what is in one", file=sys.stderr)
        refs = [start, *(step.ref for step in steps)]
        return along_commits(experiment, name, refs, {step.ref: step.title for step in steps})
    if len(changes) < 2:
        raise Problem(
            f"{start} and {end}: {count(len(changes), 'commit')} between them changed {name}, so that there is nothing "
            "to divide",
            f"fairtrial ab-test {start} {end} compares the two",
        )
    between = evenly_spread(changes[:-1], MOST_FACTORS - 1)
    if len(between) < len(changes) - 1:
        print(  # standard output may be for a program
            f"{len(changes)} commits changed {name}: {len(between) + 1} are tried; ask again between two of them",
            file=sys.stderr,
        )
    refs = [start, *between, end]
    titles = {ref: title for ref in refs[1:] if (title := repository.title_of_own(ref)) is not None}
    return along_commits(experiment, name, refs, titles)


def write_proposal(start: str, end: str, stack_folders: Sequence[Path]) -> None:
    """Write the file that proposes factors of two stacks.

    Raises:
        Problem: there is no such stack, or the file is there already.
    """
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.plan.propose_why import propose_why
    from fairtrial.plan.selection import stack_reference

    proposal = propose_why(find_stacks(stack_folders), stack_reference(start), stack_reference(end))
    file = Path(f"{proposal.name}.toml")
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(proposal.text)
    except FileExistsError:
        raise Problem(f"{file}: it is there already", f"fairtrial why {file}, or remove it") from None
    factors = f"{count(proposal.factors, 'factor')} and {proposal.comments} more as comments"
    print(f"{file} has {factors}: strike some or add others, then\nfairtrial why {file}")
