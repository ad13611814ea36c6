"""The published data of boards: one file for each board. Adding a board is adding a file that defines `BOARD`."""

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.registry import defined_in
from fairtrial_cross_examine.boards.fields import DOUBLED
from fairtrial_cross_examine.boards.model import LONGEST_NAME, Board
from fairtrial_cross_examine.model import BoardRow, UnreadRow
from fairtrial_cross_examine.unreadable import HALF_CHARACTER, in_unicode, whole_number

__all__ = ["all_boards", "read_board"]

MOST_ROWS = 100_000


@cache
def all_boards() -> Mapping[str, Board]:
    """Every board by its name, in the order of the names."""
    return defined_in(__name__, __path__, "BOARD")


def read_board(text: str, source: str) -> tuple[list[BoardRow], list[UnreadRow]]:
    """The rows of a board's file, and those of which nothing is read; none of both if it is no board's.

    Raises:
        ValueError: it holds more than 100,000 rows, or none of them can be read; with the reason of the first.
        RecursionError: it is nested too deeply.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return [], []
    try:
        document = json.loads(text, parse_int=whole_number, object_pairs_hook=_object)
    except ValueError:
        return [], []
    if HALF_CHARACTER.search(text) is not None:
        document = in_unicode(document)
    for board in all_boards().values():
        if board.recognises(document):
            return _read(board, document, source)
    return [], []


def _read(board: Board, document: Any, source: str) -> tuple[list[BoardRow], list[UnreadRow]]:
    rows: list[BoardRow] = []
    unread: list[UnreadRow] = []
    same: dict[tuple[str, str], list[BoardRow]] = defaultdict(list)
    for row in board.read(document, source):
        if len(rows) + len(unread) == MOST_ROWS:
            raise ValueError(f"more than {MOST_ROWS:,} rows")
        if isinstance(row, UnreadRow):
            unread.append(row)
            continue
        alike = same[row.contender, row.test]
        if row in alike:
            name = printable(f"{row.contender}, {row.test}", LONGEST_NAME)
            unread.append(UnreadRow(source=source, row=name, why="it stands there before, with the same figures"))
            continue
        alike.append(row)
        rows.append(row)
    if unread and not rows:
        raise ValueError(f"none of its rows can be read; {unread[0].row}: {unread[0].why}")
    return rows, unread


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, of which a key that stands twice with different values has neither."""
    entry = dict(pairs)
    if len(entry) < len(pairs):
        entry |= {key: DOUBLED for key, value in pairs if value != entry[key]}
    return entry
