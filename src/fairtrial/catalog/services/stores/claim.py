"""One lab at a time in a store without locks: a text beside the tables, its marker, says whose they are.

A lab that finds the marker of a living one is refused. Whether that one lives is seen by its process if it runs on this
machine; of another machine's, by when it last renewed its marker. It does so whenever it looks at its tables, so before
each trial, and not by a clock of its own: what a thread wrote during a trial would be counted with the stack's writes.
"""

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ValidationError

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.in_use import REMEDY, in_use

FRESH_SECONDS = 12 * 3600.0
"""So long another machine's lab may be silent: a cache's tables are looked at once, when an experiment begins. The
clocks of two machines that differ by minutes make no difference."""

WHAT = "what lies beside this is Fairtrial's and may be removed"
TOKEN_BYTES = 16
NO_LONGER_RUNS = "ZX"
"""States of a process in /proc/PID/stat: zombie, dead. proc_pid_stat(5)."""

_held: set[str] = set()
"""The tokens of this process' own claims."""


class Marker(BaseModel):
    """What the marker says."""

    what: str = WHAT
    lab: str
    """a token"""
    renewed_seconds: float
    """since 1970"""
    machine: str
    """a digest, of one start of a machine and of a container on it"""
    process: int
    started_ticks: int
    """of the process, since the machine started"""
    prefixes: Sequence[str] = ()
    """of the keys that are the lab's, where the marker stands for less than the whole store"""


class Place(Protocol):
    """Where the marker is kept. Both raise Problem if the store cannot be asked."""

    name: str

    def read(self) -> str | None:
        """Its text; None if there is none."""

    def swap(self, old: str | None, new: str) -> bool:
        """Write it if it still is `old`, as one step; whether it was."""


class Claim:
    """A lab's hold on a store."""

    def __init__(self, title: str, place: Place, prefixes: Sequence[str] = ()) -> None:
        self._title, self._place, self.prefixes = title, place, prefixes
        self._token = secrets.token_urlsafe(TOKEN_BYTES)
        self._text: str | None = None

    def take(self) -> None:
        """Put the marker there, in place of a dead lab's if there is one.

        Raises:
            Problem: a living lab has it, or the store cannot be asked.
        """
        old = self._place.read()
        found = read_marker(old)
        if found and found.lab not in _held and not _lives(found):
            found = None
        if found:
            raise self._in_use()
        _held.add(self._token)  # before it can be read: others in this process look there
        try:
            written = self._write(old)
        except BaseException:
            self.end()
            raise
        if not written:
            self.end()
            raise self._in_use()

    def renew(self) -> None:
        """Say that this lab lives. One write.

        Raises:
            Problem: the marker is another lab's or no longer there, or the store cannot be asked.
        """
        if not self._write(self._text):
            if self._place.read() is not None:
                raise self._in_use()
            raise Problem(
                f"{self._title} no longer holds {self._place.name}: nothing was removed from it",
                "see what it holds, and empty it",
            )

    def is_kept(self) -> bool:
        """Renew it; whether that went well."""
        try:
            self.renew()
        except Problem:
            return False
        return True

    @property
    def text(self) -> str:
        """As it was last written."""
        assert self._text is not None, "taken"
        return self._text

    def end(self) -> None:
        """This process no longer works there; the marker, if it still is there, stands in nobody's way."""
        _held.discard(self._token)

    def _write(self, old: str | None) -> bool:
        new = Marker(
            lab=self._token,
            renewed_seconds=time.time(),
            machine=_machine(),
            process=os.getpid(),
            started_ticks=_started_ticks(os.getpid()) or 0,
            prefixes=self.prefixes,
        ).model_dump_json()
        if not self._place.swap(old, new):
            return False
        self._text = new
        return True

    def _in_use(self) -> Problem:
        return in_use(
            self._title,
            f"{REMEDY}. If it was killed on another machine, its hold ends {FRESH_SECONDS / 3600:.0f} hours after its "
            f"last trial began, or when {self._place.name} is removed",
        )


class Claimed(Protocol):
    """A store of somebody else's."""

    claim: Claim

    def assert_own(self) -> None:
        """Raise a Problem if it holds anything that no lab made."""

    def reset(self) -> None:
        """Load everything, in place of what a lab made."""

    def leave(self) -> None:
        """Remove everything that a lab made, the marker last."""


@contextmanager
def in_hand(store: Claimed) -> Iterator[None]:
    """The tables are there meanwhile, and no other lab.

    Raises:
        Problem: it holds something else, is in the hands of another lab, or refuses.
    """
    store.assert_own()
    store.claim.take()
    try:
        store.reset()
        yield
    finally:
        with suppress(Problem):  # what is left is marked: the next lab removes it
            store.leave()
        store.claim.end()


def read_marker(text: str | None) -> Marker | None:
    """What it says; None if there is none, or no lab wrote it that says whose it is."""
    try:
        return Marker.model_validate_json(text) if text is not None else None
    except ValidationError:
        return None


def _lives(marker: Marker) -> bool:
    """Whether the lab that wrote it is still there, as far as can be seen. Not for those of this process."""
    if marker.machine == _machine():
        return marker.process != os.getpid() and _started_ticks(marker.process) == marker.started_ticks
    return abs(time.time() - marker.renewed_seconds) < FRESH_SECONDS


def _machine() -> str:
    start = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return sha256(f"{start} {os.readlink('/proc/self/ns/pid')}".encode()).hexdigest()[:32]


def _started_ticks(process: int) -> int | None:
    """Fields 3 and 22 of /proc/PID/stat; None if there is no such process, or it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in NO_LONGER_RUNS else int(fields[19])
