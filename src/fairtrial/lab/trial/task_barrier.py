"""A barrier for the tasks of a program: a UNIX socket where each reports, and is released when all have.

The lab does not believe what a program says of its tasks; this is what can be seen of them from outside. Every task
writes a byte, so none is released before as many bytes came as there are tasks. That different tasks wrote them shows
only where a task is a kernel thread: those are counted while all are held. A token that the tasks are to hand round
leaves from here and comes back here. docs/stack-contract.md, "Programs".
"""

import select
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

RELEASE = b"\n"
READ_BYTES = 65_536
LONGEST_LINE = len(b"4294967295\n")


@dataclass(frozen=True)
class Token:
    """A number for the first task, and what to do when the last task has given one back."""

    first: int
    on_return: Callable[[], None]


class TaskBarrier:
    """Waits for `tasks` bytes on one connection, calls `on_all_tasks`, and answers with an empty line.

    With a token it answers with the token's number instead, waits for a line with another number, calls `on_return`,
    and answers that with an empty line. A context manager: leaving it ends the wait. Only the lab's own user can
    connect, and whoever the folder is opened to.
    """

    def __init__(self, tasks: int, on_all_tasks: Callable[[], None], token: Token | None = None) -> None:
        self._tasks, self._on_all_tasks, self._token = tasks, on_all_tasks, token
        self.arrived = 0
        """how many bytes came until the tasks were released, or the connection ended"""
        self.released = False
        """whether all tasks were there until they were let go; a program that left before did not wait"""
        self.last_token: int | None = None
        """the number that came back; None if none did, or there is no token"""
        self.held_seconds = 0.0
        """how long the tasks waited for the lab alone, while it looked at them"""
        self._folder = tempfile.TemporaryDirectory(prefix="fairtrial-barrier-")
        self.path = Path(self._folder.name) / "socket"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self.path))
        self._listener.listen(1)
        self._end, self._ending = socket.socketpair()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    def _wait(self) -> None:
        if not self._readable(self._listener):
            return
        connection, _ = self._listener.accept()
        with connection:
            try:
                if self._all_arrive(connection):
                    self._release(connection)
            except OSError:  # the program ended meanwhile; its status says more
                return

    def _all_arrive(self, connection: socket.socket) -> bool:
        while self.arrived < self._tasks and self._readable(connection):
            read = len(connection.recv(READ_BYTES))
            if not read:
                return False
            self.arrived += read
        return self.arrived >= self._tasks

    def _release(self, connection: socket.socket) -> None:
        self._hold(self._on_all_tasks)
        if self._token is not None:
            connection.sendall(b"%d\n" % self._token.first)
            self.last_token = self._number(connection)
            if self.last_token is None:
                return
            self._hold(self._token.on_return)
        self.released = not _has_left(connection)
        if self.released:
            connection.sendall(RELEASE)
            self._readable(connection)

    def _hold(self, look: Callable[[], None]) -> None:
        began = time.monotonic()
        look()
        self.held_seconds += time.monotonic() - began

    def _number(self, connection: socket.socket) -> int | None:
        """The number that the next line holds; None if there is none, or the connection ends."""
        line = b""
        while not line.endswith(b"\n") and len(line) < LONGEST_LINE and self._readable(connection):
            read = connection.recv(LONGEST_LINE)
            if not read:
                return None
            line += read
        return int(line) if line.endswith(b"\n") and line[:-1].isdigit() else None

    def _readable(self, waited: socket.socket) -> bool:
        """Whether there is something to read, or an end; False if the waiting is to end."""
        ready, _, _ = select.select([waited, self._ending], [], [])
        return self._ending not in ready

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.close()
        self._thread.join()
        self._ending.close()
        self._listener.close()
        self._folder.cleanup()


def _has_left(connection: socket.socket) -> bool:
    """Whether the other end is closed. Who only sends no more is still there."""
    poll = select.poll()
    poll.register(connection, 0)  # POLLHUP comes unasked
    return any(events & select.POLLHUP for _, events in poll.poll(0))
