"""The published data of boards: one file for each board. Adding a board is adding a file that defines `BOARD`."""

import json
from collections.abc import Mapping
from functools import cache

from fairtrial.base.registry import defined_in
from fairtrial_cross_examine.boards.model import Board
from fairtrial_cross_examine.model import BoardRow

__all__ = ["all_boards", "read_board"]

MOST_ROWS = 100_000


@cache
def all_boards() -> Mapping[str, Board]:
    """Every board by its name, in the order of the names."""
    return defined_in(__name__, __path__, "BOARD")


def read_board(text: str, source: str) -> list[BoardRow]:
    """The rows of a board's file; none if it is no board's.

    Raises:
        ValueError, TypeError, AttributeError or KeyError: a board's file, but not as the board writes it.
        ValueError: it holds more than 100,000 rows.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return []
    try:
        document = json.loads(text)
    except ValueError:
        return []
    for board in all_boards().values():
        if board.recognises(document):
            rows = list(board.read(document, source))
            if len(rows) > MOST_ROWS:
                raise ValueError(f"more than {MOST_ROWS:,} rows")
            return rows
    return []
