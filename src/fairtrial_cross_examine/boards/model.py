"""How the published data of one board is recognised and read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial_cross_examine.figures import as_count, duration, exactly
from fairtrial_cross_examine.model import BoardRow, Figure

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
    "approach": "model",
    "database": "database",
    "classification": "class",
    "type": "class",
}
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
    read: Callable[[Any, str], Iterator[BoardRow]]
    """the rows of a parsed document, with the name of its file"""


def latency(value: object) -> Figure | None:
    """A time such as `7.52ms`; None for what is no time."""
    try:
        return duration(value) if isinstance(value, str) else None
    except ValueError:
        return None


def whole(value: object) -> int:
    """A count, as a number or as text; 0 for anything else."""
    if isinstance(value, str) and value.isdigit():
        return as_count(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def counted(value: object) -> Figure | None:
    """A count of at least 1; None for anything else."""
    return exactly(whole(value)) if whole(value) > 0 else None


def traits_of(entry: Mapping[str, object]) -> Mapping[str, str]:
    """What a board says of a contender, under the names that records have for it."""
    values = {name: entry.get(key) for key, name in TRAITS.items()}
    return {name: value for name, value in values.items() if isinstance(value, str) and value}
