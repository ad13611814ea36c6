"""The keys of one row of a board. What is there is of its kind, or the row is not read, and its key is named."""

import re
from collections.abc import Mapping
from typing import Any

from fairtrial.base.printable import printable
from fairtrial_cross_examine.figures import DURATION, LARGEST, as_count, duration, number
from fairtrial_cross_examine.model import Figure

LONGEST_VALUE = 40
DOUBLED = object()
"""In the place of a value whose key stands twice in its object, with different values."""
KINDS = {list: "a list", dict: "an object", type(None): "null", bool: "true or false"}


def in_short(value: object) -> str:
    """A value as a reason quotes it, short however large it is."""
    if value is DOUBLED:
        return "different values under the same key"
    if isinstance(value, str):
        return f'"{printable(value, LONGEST_VALUE)}"'
    return KINDS.get(type(value)) or printable(f"{value!r:.{LONGEST_VALUE}}")


def text_of(value: object, key: str) -> str:
    """A text that is not empty.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, str) or not value:
        raise ValueError(f"{key}: {in_short(value)} is no name")
    return value


class Fields:
    """One row as its file has it."""

    def __init__(self, entry: object, keys: frozenset[str] = frozenset()) -> None:
        """Take an object.

        Raises:
            ValueError: it is none, or lacks a key that it needs.
        """
        if not isinstance(entry, Mapping):
            raise ValueError(f"{in_short(entry)} is no object")
        missing = sorted(key for key in keys if entry.get(key) is None)
        if missing:
            raise ValueError(f"{', '.join(missing)}: missing")
        self.entry: Mapping[str, Any] = entry

    def text(self, key: str) -> str:
        """A name.

        Raises:
            ValueError: it is none.
        """
        return text_of(self.entry.get(key), key)

    def count(self, key: str) -> int:
        """A count, as a number or as text; 0 where there is none.

        Raises:
            ValueError: it is something else, negative, or too large for a figure.
        """
        value = self.entry.get(key)
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,30}", value):
            value = as_count(value)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
            raise ValueError(f"{key}: {in_short(value)} is no count")
        return value

    def figure(self, key: str, unit: float = 1.0) -> Figure | None:
        """A number, in units of `unit`, that may be negative; None where there is none.

        Raises:
            ValueError: it is something else, not finite, or too large for a figure.
        """
        value = self.entry.get(key)
        if value is None:
            return None
        try:
            figure = number(value, unit)
        except ValueError as error:
            raise ValueError(f"{key}: {in_short(value)} is no figure") from error
        if figure is None:
            raise ValueError(f"{key}: {in_short(value)} is no number")
        return figure

    def positive(self, key: str) -> Figure | None:
        """As `figure`, and not negative.

        Raises:
            ValueError: as of `figure`, or negative.
        """
        figure = self.figure(key)
        if figure is not None and figure.value < 0:
            raise ValueError(f"{key}: {in_short(self.entry[key])} is negative")
        return figure

    def time(self, key: str) -> Figure | None:
        """A time such as `7.52ms` in seconds; None where there is none, or an empty text.

        Raises:
            ValueError: it is something else.
        """
        value = self.entry.get(key)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or re.fullmatch(DURATION, value) is None:
            raise ValueError(f"{key}: {in_short(value)} is no time with its unit")
        return duration(value)
