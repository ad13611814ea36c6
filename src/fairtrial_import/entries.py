"""Entries of a source, read one by one: what is wrong with one of them keeps none of the others out."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from fairtrial.base.problem import Problem
from fairtrial_import.model import FoundRequest

Entry = TypeVar("Entry")
MOST_REMARKS = 20


def read_each(
    entries: Iterable[Entry], read: Callable[[Entry], Sequence[FoundRequest]], label: str
) -> tuple[list[FoundRequest], list[str]]:
    """The requests of all entries that can be read, and a remark for each of the others.

    Args:
        label: of the source, which its remarks need not name.

    Raises:
        Problem: none can be read: the first one's.
    """
    requests: list[FoundRequest] = []
    problems: list[Problem] = []
    for entry in entries:
        try:
            requests += read(entry)
        except Problem as problem:
            problems.append(problem)
    if problems and not requests:
        raise problems[0]
    return requests, left_out_in_words(problems, label)


def left_out_in_words(problems: Sequence[Problem], label: str) -> list[str]:
    """A remark for each of the first problems, and how many more there are."""
    remarks = [
        f"Left out: {problem.reason.removeprefix(f'{label}: ')}" + (f" ({problem.remedy})." if problem.remedy else ".")
        for problem in problems[:MOST_REMARKS]
    ]
    more = len(problems) - len(remarks)
    return [*remarks, f"Left out: {more:,} more that cannot be imported."] if more else remarks
