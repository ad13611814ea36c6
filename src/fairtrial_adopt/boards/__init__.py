"""Public boards whose entries are adopted: a file for each. Adding one is adding a file that defines `BOARD`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.registry import defined_in
from fairtrial_adopt.entry import Entry

MISREAD = (ValueError, TypeError, AttributeError, KeyError, IndexError, RuntimeError)
"""What values of another kind than a board has come to; the last is of patterns and of links in a circle."""


@dataclass(frozen=True)
class BoardReader:
    """A public board, and how an entry of it is read."""

    name: str
    described_by: str
    """the file that an entry's folder has"""
    read: Callable[[Path, str], Entry]
    """takes the entry's folder, and the name of one of its tests or engines; empty: the first. It raises a Problem"""


@cache
def all_boards() -> Mapping[str, BoardReader]:
    """Every board by its name."""
    return defined_in(__name__, __path__, "BOARD")


def read_entry(folder: Path, test: str) -> Entry:
    """The entry in this folder.

    Raises:
        Problem: it is of no known board, or its files do not say what is needed.
    """
    boards = all_boards().values()
    board = next((each for each in boards if (folder / each.described_by).is_file()), None)
    if board is None:
        names = ", ".join(f"{each.described_by} ({each.name})" for each in boards)
        raise Problem(f"{folder}: no entry of a board that is known", f"name a folder that holds one of {names}")
    try:
        return board.read(folder, test)
    except MISREAD as error:
        file = folder / board.described_by
        reason = printable(f"{file}: not as {board.name} has it: {type(error).__name__}: {error}", 300)
        raise Problem(reason, "correct it, or adopt another entry") from error
