"""How the published data of one board is recognised and read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial.base.printable import printable
from fairtrial_cross_examine.figures import exactly
from fairtrial_cross_examine.model import BoardRow, Figure, UnreadRow
from fairtrial_cross_examine.unreadable import UNREADABLE, reason_of

CORRECTED = (
    "wrk adds latencies that no request had, so that rate × mean may exceed the connections; whether it did is not in "
    "the row"
)
NOT_LATENCY = (
    "connections that the server closes, that failed or that wait for an answer are in no latency of wrk; how many "
    "there were is not in the row"
)
TRAITS = {
    "language": "language",
    "framework": "framework",
    "approach": "approach",
    "database": "database",
    "classification": "class",
    "type": "class",
}
LONGEST_NAME = 120
BY_WRK = {"too-much-time": CORRECTED, "clients-idle": NOT_LATENCY}
"""What explains rows that wrk printed, by the kind of contradiction that it explains."""


@dataclass(frozen=True)
class Board:
    """The published data of one board."""

    name: str
    notes: Sequence[str]
    """what its own programs say of its figures, and no row does"""
    recognises: Callable[[Any], bool]
    """whether a parsed document is this board's, by its structure"""
    read: Callable[[Any, str], Iterator[BoardRow | UnreadRow]]
    """the rows of a parsed document, with the name of its file"""


def row_or_why(source: str, row: str, read: Callable[[], BoardRow]) -> BoardRow | UnreadRow:
    """The row, or what is wrong with it."""
    try:
        return read()
    except UNREADABLE as error:
        return UnreadRow(source=source, row=printable(row, LONGEST_NAME), why=reason_of(error))


def counted(count: int) -> Figure | None:
    """A count of at least 1."""
    return exactly(count) if count > 0 else None


def traits_of(entry: Mapping[str, object]) -> Mapping[str, str]:
    """A contender's traits on a board, under the names that records have where they have one."""
    values = {name: entry.get(key) for key, name in TRAITS.items()}
    return {name: value for name, value in values.items() if isinstance(value, str) and value}
