"""Servers of the lab that somebody stopped (SIGSTOP): whoever waits for one would wait for ever.

A stopped server neither answers nor closes its connections, so that no client notices. It is killed, as a server that
has died is noticed by all of them, and told with its trial.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import psutil

LOOK_EVERY_SECONDS = 1.0
"""One that is stopped at two looks in a row is killed."""


class StoppedWatch:
    """Looks now and then whether a process below a guard is stopped, and kills all of them if one is.

    Args:
        guard: its process id.
        on_killed: called, by another thread, before they are killed.
    """

    def __init__(self, guard: int, on_killed: Callable[[], None]) -> None:
        self._guard, self._on_killed = guard, on_killed
        self._over = Event()
        self._thread = Thread(target=self._watch, name="stopped", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        before: set[int] = set()
        while not self._over.wait(LOOK_EVERY_SECONDS):
            descendants = _descendants(self._guard)
            stopped = {pid for pid in descendants if _is_stopped(pid)}
            if stopped & before:
                self._on_killed()
                for pid in descendants:
                    with suppress(psutil.Error):
                        psutil.Process(pid).kill()
                return
            before = stopped


def _descendants(pid: int) -> list[int]:
    """The process ids of all descendants, from the kernel's lists of children (proc(5)): no other process is read."""
    pids: list[int] = []
    with suppress(OSError, ValueError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, children.read_text().split()):
                pids += [child, *_descendants(child)]
    return pids


def _is_stopped(pid: int) -> bool:
    with suppress(OSError, IndexError):
        # The state follows the name, which may hold any character, in brackets (proc_pid_stat(5)).
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    return False
