"""Threads that meet at the task barrier."""

import os
import socket
import sys
import threading
from collections.abc import Callable, Sequence


class Gathering:
    """The connection to the task barrier, which all threads share."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(os.environ["GATHERING"])
        self._lines = self._socket.makefile("rb")

    def arrive(self) -> None:
        """Report one task."""
        self._socket.sendall(b".")

    def line(self) -> bytes:
        """Wait for the barrier's next line; without one, the program ends with status 1."""
        return self._lines.readline() or sys.exit("the gathering ended before all were there")

    def give_back(self, token: int) -> None:
        """Send the last token."""
        self._socket.sendall(b"%d\n" % token)


def in_gathered_threads(
    tasks: Sequence[Callable[[], object]], lead: Callable[[Gathering], None], release: Callable[[], None]
) -> None:
    """Start a thread for each task, which reports before it begins its task, and run `lead` beside them.

    Args:
        lead: runs in this thread when all are started.
        release: has every task end, whatever became of `lead`.
    """
    gathering = Gathering()

    def run(task: Callable[[], object]) -> None:
        gathering.arrive()
        task()

    threads = [threading.Thread(target=run, args=[task]) for task in tasks]
    started = 0
    try:
        for thread in threads:
            thread.start()
            started += 1
        lead(gathering)
    except RuntimeError as error:  # the system has no more threads to give
        sys.exit(f"after {started:,} threads: {error}")
    finally:
        release()
        for thread in threads[:started]:
            thread.join()
