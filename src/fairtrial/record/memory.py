"""How the memory of a process tree was read."""

from collections.abc import Iterable
from enum import StrEnum


class MemoryKind(StrEnum):
    """Figures of different kinds are not compared."""

    RESIDENT = "resident"
    """the sum of resident set sizes: a page that several processes share counts once for each"""
    PROPORTIONAL = "proportional"
    """the sum of proportional set sizes, and memory that is held without being mapped: each page counts once"""


def joint_kind(kinds: Iterable[MemoryKind]) -> MemoryKind:
    """The kind of several readings of one figure together: proportional if all are."""
    return MemoryKind.RESIDENT if MemoryKind.RESIDENT in kinds else MemoryKind.PROPORTIONAL
