"""The packages that one commit switched, as commits on no branch: each has one package more, or a few."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import enumeration
from fairtrial.base.locations import PROJECT_FILE
from fairtrial.base.printable import printable
from fairtrial.base.strict import LONGEST_TITLE
from fairtrial.catalog.stacks.lock_files import LockChange
from fairtrial.catalog.stacks.lock_formats import format_of
from fairtrial.catalog.stacks.repository import Repository
from fairtrial.experiment.factorial import evenly_spread

MOST_IN_TITLE = 3
"""Packages or files that the title of a step has."""


@dataclass(frozen=True)
class PackageStep:
    """A commit, after that of the step before it."""

    ref: str
    changes: Sequence[str]
    """in words, such as `httptools 0.6.1 to 0.6.4`"""
    is_divisible: bool
    """Whether a part of its packages can be switched without the others."""

    @property
    def title(self) -> str:
        return _title(self.changes)


def package_steps(repository: Repository, start: str, end: str, most: int) -> list[PackageStep]:
    """The steps from one ref to another: the packages of which lock files in the repository's folder have other
    versions, in their order, and what else differs last. The last step is `end` itself.

    Args:
        most: steps; of more packages, a step has several.

    Returns:
        an empty list, if there are fewer than two.

    Raises:
        Problem: a ref names no commit, or git cannot write one.
    """
    old, new = (repository.commit_of(ref) for ref in (start, end))
    own_file = repository.top / repository.prefix / PROJECT_FILE
    paths = [
        path
        for path in repository.files_that_differ(old, new)
        if (place := repository.top / path).is_relative_to(own_file.parent) and place != own_file
    ]
    lock_files = [path for path in paths if format_of(path)]
    change = LockChange(repository.texts_at(old, lock_files), repository.texts_at(new, lock_files), paths)
    switches = change.switches
    rest = [path for path in paths if path not in change.paths or path in change.beyond]
    if not switches or len(switches) + bool(rest) < 2:
        return []
    ends = [*evenly_spread(range(1, len(switches)), most - 1 - bool(rest)), len(switches)]
    steps, commit = [], old
    for first, last in zip([0, *ends], ends, strict=False):
        changes = [words for switch in switches[first:last] for words in switch.changes]
        if last == len(switches) and not rest:
            commit = end
        else:
            message = f"{_title(changes)}\n\n" + "\n".join(changes)
            commit = repository.commit_with(commit, change.texts(switches[:last]), message)
        steps.append(PackageStep(commit, changes, last - first > 1))
    if rest:
        others = printable(enumeration([*change.removals, *rest], MOST_IN_TITLE))
        steps.append(PackageStep(end, [f"the rest ({others})"], is_divisible=False))
    return steps


def _title(changes: Sequence[str]) -> str:
    return printable(enumeration(changes, MOST_IN_TITLE), LONGEST_TITLE)
