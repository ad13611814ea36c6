"""Allocations of a Go program, from what its garbage collector says of itself in the log.

With GODEBUG=gctrace=1,gcpacertrace=1 (runtime, "Environment Variables") it prints of each collection, among others:

    pacer: 25% CPU (25 exp.) for 57792+13744+154730 B work (226218 B exp.) in 4006416 B -> 4080144 B (∆goal …)
    gc 2 @0.345s 0%: 0.20+1.6+0.11 ms clock, 0.40+0/0.10/0.082+0.23 ms cpu, 3->3->0 MB, 4 MB goal, …

These are the bytes of the heap at its begin and its end, and of those the live ones, in whole mebibytes that were
rounded down. The first line is missing where nothing was allocated meanwhile. Thus what was allocated lies between two
bounds, a mebibyte for each collection apart. It prints each word by a system call of its own, some 70 in all, so that
the program's own are counted in a start without them.
"""

import mmap
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from fairtrial.lab.profile.allocations.hooks import with_option

SAYS = "gctrace=1,gcpacertrace=1"
COLLECTION = re.compile(
    r"(?:^pacer: \d+% CPU [^\n]* in (?P<begin>\d+) B -> (?P<end>\d+) B [^\n]*\n"
    r"(?:(?!pacer: \d|gc \d)[^\n]*\n)*)?"
    r"^gc (?P<number>\d+) @(?P<at>[\d.]+)s [^\n]* (?P<sizes>\d+->\d+->\d+) MB, ",
    re.MULTILINE,
)
ROUNDED = 2**20
SECTION = b"\0.gopclntab\0"


def is_go(pid: int) -> bool:
    """Whether a process runs a Go program, by the section of its executable that each has."""
    with (
        suppress(OSError, ValueError),
        Path(f"/proc/{pid}/exe").open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as program,
    ):
        return program.rfind(SECTION) >= 0
    return False


def go_settings(before: Mapping[str, str]) -> dict[str, str]:
    """The variable by which a Go program prints its collections."""
    return {"GODEBUG": with_option(before, "GODEBUG", SAYS, ",")}


@dataclass(frozen=True)
class GoAllocated:
    """Allocations between the first and the last collection in a part of the log."""

    seconds: float
    least_bytes: int
    most_bytes: int


def allocated_by_log(printed: str) -> GoAllocated | None:
    """None: less than two collections, or those of several programs, or some are missing."""
    collections = list(COLLECTION.finditer(printed))
    numbers = [int(each["number"]) for each in collections]
    if len(numbers) <= 1 or any(after != before + 1 for before, after in pairwise(numbers)):
        return None
    begins, ends, live = zip(*map(_sizes, collections), strict=True)
    seconds = float(collections[-1]["at"]) - float(collections[0]["at"])
    # The heap grew from the first begin to the last, and collections took away what was not alive at their end.
    least, most = (
        begins[-1][low] - begins[0][high] + sum(size[low] for size in ends[:-1]) - sum(size[high] for size in live[:-1])
        for low, high in ((0, 1), (1, 0))
    )
    return GoAllocated(seconds, max(0, least), most) if seconds > 0 else None


def _sizes(collection: re.Match[str]) -> list[tuple[int, int]]:
    """The heap's bytes at its begin, at its end, and of those the live ones: at least and at most."""
    sizes = [(ROUNDED * int(size), ROUNDED * (int(size) + 1)) for size in collection["sizes"].split("->")]
    for place, name in enumerate(("begin", "end")):
        if collection[name]:
            sizes[place] = int(collection[name]), int(collection[name])
    return sizes


class CollectionsInLog:
    """The part of a log from `open` to `close`."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._begin = self._end = 0

    def open(self) -> None:
        """It begins here."""
        self._begin = self._end = self._size()

    def close(self) -> None:
        """It ends here."""
        self._end = self._size()

    def allocated(self) -> GoAllocated | None:
        """As `allocated_by_log`."""
        if self._end == self._begin:
            return None
        with self._log.open("rb") as file:
            file.seek(self._begin)
            return allocated_by_log(file.read(self._end - self._begin).decode(errors="replace"))

    def _size(self) -> int:
        return self._log.stat().st_size if self._log.exists() else 0
