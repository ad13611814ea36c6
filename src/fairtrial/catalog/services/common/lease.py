"""One lab at a time in somebody else's database: a lease, by the server's own lock or by a marker beside the tables.

`SqlLock` is a lock of the server, held by a connection that stays open: the server frees it when the connection ends,
however that happens, so a dead lab holds none.

`MarkerLease` is for stores without locks: a text beside the tables says which lab they belong to. A lab that finds the
marker of a living lab is refused. A lab on the same machine lives if its process runs; one on another machine, if it
renewed its marker recently. A lab renews its marker whenever it looks at its tables, so before each trial, and not by a
timer: a write during a trial would be counted with the stack's writes.
"""

import os
import secrets
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from fairtrial.base.problem import Problem

FRESH_SECONDS = 12 * 3600.0
"""How long a lab on another machine may be silent: a cache's tables are looked at once, when an experiment begins.
Clocks that differ by minutes make no difference."""

NOTE = "what lies beside this is Fairtrial's and may be removed"
TOKEN_BYTES = 16
ENDED_STATES = "ZX"
"""States of a process in /proc/PID/stat: zombie, dead. proc_pid_stat(5)."""

REMEDY = "wait until that one has ended, or name another database"

_process_tokens: set[str] = set()
"""The tokens of the leases that this process holds."""


class Lease(Protocol):
    """The exclusive use of one database."""

    def hold(self) -> None:
        """Take the lease, or confirm it.

        Raises:
            Problem: another lab has the database, or the server cannot be reached.
        """

    def is_held(self) -> bool:
        """Whether it was held all the time since it was taken."""

    def evict_others(self) -> None:
        """End the connections of others to the database, where the server can do that.

        Raises:
            Problem: as `hold`, or the server refused.
        """

    def release(self) -> None:
        """Give the lease up; does nothing if it is not held."""


def _in_use(title: str, remedy: str = REMEDY) -> Problem:
    return Problem(f"another Fairtrial uses this database ({title})", remedy)


class LockingClient(Protocol):
    """A SQL client as a lock needs it. All methods but `disconnect` raise Problem."""

    title: str

    def lasting_connection(self) -> Any:
        """A connection that stays open however long it is idle."""

    def try_lock(self, connection: Any) -> bool:
        """Take the server's lock on the database for this connection; a connection that has it may take it again."""

    def cut_others(self, connection: Any) -> None:
        """End all connections to the database but this one."""

    def disconnect(self, connection: Any) -> None:
        """Close a connection, in whatever state it is."""


class SqlLock:
    """A server's own lock as a lease. A context manager: entering takes it, leaving releases it."""

    def __init__(self, client: LockingClient) -> None:
        self._client = client
        self._connection: Any = None

    def hold(self) -> None:
        """Take the lock, or confirm it; if the connection was cut, take it again on a new one.

        Raises:
            Problem: another lab holds it, or the database cannot be reached.
        """
        if self.is_held():
            return
        self.release()
        self._connection = self._client.lasting_connection()
        if not self._client.try_lock(self._connection):
            self.release()
            raise _in_use(self._client.title)

    def is_held(self) -> bool:
        """Whether the connection that took it still has it."""
        try:
            return self._connection is not None and self._client.try_lock(self._connection)
        except Problem:
            return False

    def evict_others(self) -> None:
        """End all connections to the database but the lock's own.

        Raises:
            Problem: as `hold`, or the server refused.
        """
        self.hold()
        self._client.cut_others(self._connection)

    def release(self) -> None:
        """Close the connection that holds it, if there is one."""
        if self._connection is not None:
            self._client.disconnect(self._connection)
            self._connection = None

    def __enter__(self) -> "SqlLock":
        self.hold()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class Marker(BaseModel):
    """A marker's text."""

    what: str = NOTE
    lab: str
    """a token"""
    renewed_seconds: float
    """since 1970"""
    machine: str
    """a digest of one start of a machine and of a container on it"""
    process: int
    started_ticks: int
    """when the process started, since the machine did"""
    prefixes: Sequence[str] = ()
    """of the keys that are the lab's, where the marker stands for less than the whole store"""


class MarkerPlace(Protocol):
    """Where a store keeps the marker. Both methods raise Problem if the store cannot be asked."""

    name: str
    """of the key or collection"""

    def read(self) -> str | None:
        """The marker's text; None if there is none."""

    def swap(self, old: str | None, new: str) -> bool:
        """Write `new` if the text still is `old`, as one step; returns whether it was."""


class MarkerLease:
    """A marker as a lease.

    Args:
        title: of the service, for messages.
        place: where the marker is kept.
        prefixes: gives those of the keys that are the lab's, whenever the marker is written.
    """

    def __init__(self, title: str, place: MarkerPlace, prefixes: Callable[[], Sequence[str]] = tuple) -> None:
        self._title, self._place, self._prefixes = title, place, prefixes
        self._token = secrets.token_urlsafe(TOKEN_BYTES)
        self._text: str | None = None

    def hold(self) -> None:
        """Write the marker, in place of a dead lab's if there is one; or renew it. One write.

        Raises:
            Problem: a living lab has the store, the marker was removed meanwhile, or the store cannot be asked.
        """
        if self._text is None:
            self._take()
        else:
            self._renew(self._text)

    def _take(self) -> None:
        old = self._place.read()
        marker = read_marker(old)
        if marker and (marker.lab in _process_tokens or _lives(marker)):
            raise self._in_use()
        _process_tokens.add(self._token)  # before others in this process can read the marker
        try:
            is_taken = self._write(old)
        except BaseException:
            self.release()
            raise
        if not is_taken:
            self.release()
            raise self._in_use()

    def _renew(self, text: str) -> None:
        if self._write(text):
            return
        if self._place.read() is not None:
            raise self._in_use()
        raise Problem(
            f"{self._title} no longer holds {self._place.name}: nothing was removed from it",
            "see what it holds, and empty it",
        )

    def is_held(self) -> bool:
        """Renew the marker; whether that succeeded."""
        if self._text is None:
            return False
        try:
            self._renew(self._text)
        except Problem:
            return False
        return True

    def evict_others(self) -> None:
        """Nothing: a store's other connections are left alone."""

    def release(self) -> None:
        """This process no longer uses the store: a marker that is still there stands in nobody's way."""
        _process_tokens.discard(self._token)

    def _write(self, old: str | None) -> bool:
        new = Marker(
            lab=self._token,
            renewed_seconds=time.time(),
            machine=_machine(),
            process=os.getpid(),
            started_ticks=_started_ticks(os.getpid()) or 0,
            prefixes=self._prefixes(),
        ).model_dump_json()
        if not self._place.swap(old, new):
            return False
        self._text = new
        return True

    def _in_use(self) -> Problem:
        return _in_use(
            self._title,
            f"{REMEDY}. If it was killed on another machine, its hold ends {FRESH_SECONDS / 3600:.0f} hours after its "
            f"last trial began, or when {self._place.name} is removed",
        )


def read_marker(text: str | None) -> Marker | None:
    """The marker in this text; None if there is none, or the text does not say which lab wrote it."""
    try:
        return Marker.model_validate_json(text) if text is not None else None
    except ValidationError:
        return None


def _lives(marker: Marker) -> bool:
    """Whether the lab that wrote it still runs, as far as can be seen; not for labs of this process."""
    if marker.machine == _machine():
        return marker.process != os.getpid() and _started_ticks(marker.process) == marker.started_ticks
    return abs(time.time() - marker.renewed_seconds) < FRESH_SECONDS


def _machine() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    return sha256(f"{boot} {os.readlink('/proc/self/ns/pid')}".encode()).hexdigest()[:32]


def _started_ticks(process: int) -> int | None:
    """Fields 3 and 22 of /proc/PID/stat; None if there is no such process, or it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ENDED_STATES else int(fields[19])
