"""Sentences about a text that breaks the form that it begins with; and rows that are read one by one."""

import re
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, TypeVar

from pydantic import ValidationError

from fairtrial.base.fault_words import first_fault
from fairtrial.base.printable import printable

Row = TypeVar("Row")
Read = TypeVar("Read")
UNREADABLE = (ValueError, TypeError, AttributeError, KeyError, ArithmeticError, RecursionError)
"""The errors that readers raise on a text that breaks the form that it begins with."""
LONGEST_REASON = 200
HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape in JSON that may be half of a character."""
MOST_DIGITS = 4000
"""Python converts 4,300, by default."""


def reason_of(error: Exception) -> str:
    """The error in words, on one short line."""
    if isinstance(error, ValidationError):
        return printable(first_fault(error), LONGEST_REASON)
    if isinstance(error, KeyError):
        return printable(f"{error.args[0]}: missing", LONGEST_REASON)
    return printable(str(error).split("\n", 1)[0] or type(error).__name__, LONGEST_REASON)


def read_each(rows: Iterable[Row], read: Callable[[Row], Read], unread: Callable[[int, Row, str], Read]) -> list[Read]:
    """Each row as `read` has it; one that it cannot read as `unread` has it: by its place, from 1, and the reason.

    Raises:
        ValueError: none of them can be read; with the reason of the first.
    """
    outcomes, first, failed = [], "", 0
    for place, row in enumerate(rows, 1):
        try:
            outcomes.append(read(row))
        except UNREADABLE as error:
            first, failed = first or f"row {place}: {reason_of(error)}", failed + 1
            outcomes.append(unread(place, row, reason_of(error)))
    if outcomes and failed == len(outcomes):
        raise ValueError(first)
    return outcomes


def whole_number(digits: str) -> int | str:
    """A whole number of JSON; one of so many digits that Python refuses it stays text, which is no number."""
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def require(row: object, keys: Set[str]) -> None:
    """Ask for an object with these keys.

    Raises:
        ValueError: it is none, or lacks some of them.
    """
    if not isinstance(row, Mapping):
        raise ValueError("it is no object")
    if missing := sorted(keys - row.keys()):
        raise ValueError(f"{', '.join(missing)}: missing")


def in_unicode(value: Any) -> Any:
    """A parsed document whose texts can all be written: JSON can escape halves of a character, each becomes a `?`."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {in_unicode(key): in_unicode(each) for key, each in value.items()}
    return [in_unicode(each) for each in value] if isinstance(value, list) else value
