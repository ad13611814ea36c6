"""A place where tasks gather: a UNIX socket at which each says that it is there, and is let go when all are.

What a program says of its tasks is not believed; this is what can be seen of them from outside. Every task writes a
byte, so none is let go before as many bytes came as there are tasks. That they were written by different tasks shows
only where a task is a thread of the kernel's: those are counted while all are held. docs/stack-contract.md, "Programs".
"""

import select
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

GO = b"\n"
READ_BYTES = 65_536


class Gathering:
    """Waits for `tasks` bytes on one connection, calls `on_all_there`, and answers with one byte.

    A context manager: leaving it ends the waiting. Nobody but the lab's own user can connect.
    """

    def __init__(self, tasks: int, on_all_there: Callable[[], None]) -> None:
        self._tasks, self._on_all_there = tasks, on_all_there
        self._arrived = 0
        self._folder = tempfile.TemporaryDirectory(prefix="fairtrial-gathering-")
        self.path = Path(self._folder.name) / "socket"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self.path))
        self._listener.listen(1)
        self._end, self._ending = socket.socketpair()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    @property
    def arrived(self) -> int:
        """How many bytes came until the tasks were let go, or the connection ended."""
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
                    self._on_all_there()
                    connection.sendall(GO)
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
