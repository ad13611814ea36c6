"""Servers of the lab that somebody stopped (SIGSTOP): whoever waits for one would wait for ever.

A stopped server neither answers nor closes its connections, so that no client notices. It is killed, as a server that
has died is noticed by all of them, and told with its trial.
"""

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread

import psutil

from fairtrial.engine.hold import descendants, is_stopped

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
            pids = descendants(self._guard)
            stopped = {pid for pid in pids if is_stopped(pid)}
            if stopped & before:
                self._on_killed()
                for pid in pids:
                    with suppress(psutil.Error):
                        psutil.Process(pid).kill()
                return
            before = stopped
