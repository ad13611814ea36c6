"""A barrier for the tasks of a program: a UNIX socket where each reports, and is released when all have.

The lab does not believe what a program says of its tasks; this is what can be seen of them from outside. Every task
writes a byte, so none is released before as many bytes came as there are tasks. That different tasks wrote them shows
only where a task is a kernel thread: those are counted while all are held. docs/stack-contract.md, "Programs".
"""

import select
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

RELEASE = b"\n"
READ_BYTES = 65_536


class TaskBarrier:
    """Waits for `tasks` bytes on one connection, calls `on_all_tasks`, and answers with one byte.

    A context manager: leaving it ends the wait. Only the lab's own user can connect.
    """

    def __init__(self, tasks: int, on_all_tasks: Callable[[], None]) -> None:
        self._tasks, self._on_all_tasks = tasks, on_all_tasks
        self._arrived = 0
        self._folder = tempfile.TemporaryDirectory(prefix="fairtrial-barrier-")
        self.path = Path(self._folder.name) / "socket"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self.path))
        self._listener.listen(1)
        self._end, self._ending = socket.socketpair()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    @property
    def arrived(self) -> int:
        """How many bytes came until the tasks were released, or the connection ended."""
        return self._arrived

    def _wait(self) -> None:
        if not self._readable(self._listener):
            return
        connection, _ = self._listener.accept()
        with connection:
            try:
                while self._arrived < self._tasks and self._readable(connection):
                    read = len(connection.recv(READ_BYTES))
                    if not read:
                        return
                    self._arrived += read
                if self._arrived >= self._tasks:
                    self._on_all_tasks()
                    connection.sendall(RELEASE)
            except OSError:  # the program ended meanwhile; its status says more
                return
            self._readable(connection)

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
