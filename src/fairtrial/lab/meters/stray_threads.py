"""On which processors the threads of a process tree may run, looked at while it serves."""

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path

import psutil

from fairtrial.base.printable import printable
from fairtrial.record.processes import StrayThreads

MOST_PROGRAMS = 5
NAME_CHARACTERS = 40


class StrayThreadWatch:
    """Collects the threads that may run elsewhere than on some processors.

    The processors of a thread are its own: that of a process's first thread says nothing of the others. To ask one
    takes less than 2 µs (sched_getaffinity(2)).

    Args:
        cpus: on which all threads are to stay; empty: on any.
    """

    def __init__(self, cpus: Collection[int]) -> None:
        self._cpus = set(cpus)
        self._looks = self._looks_outside = self._threads = 0
        self._outside: set[int] = set()
        self._programs: set[str] = set()

    def look(self, processes: Iterable[psutil.Process]) -> None:
        """Ask every thread of these processes. Those of other users, and those that have ended, do not answer."""
        threads_outside = 0
        for process in processes:
            outside = self._outside_of(process.pid)
            if outside:
                threads_outside += len(outside)
                self._outside.update(*outside)
                with suppress(psutil.Error):
                    self._programs.add(printable(process.name(), NAME_CHARACTERS))
        self._looks += 1
        self._looks_outside += threads_outside > 0
        self._threads = max(self._threads, threads_outside)

    def _outside_of(self, pid: int) -> list[set[int]]:
        """For each thread of a process that may run elsewhere, where."""
        if not self._cpus:
            return []
        outside = []
        with suppress(OSError):
            for thread in os.listdir(Path(f"/proc/{pid}/task")):
                with suppress(OSError):
                    beyond = os.sched_getaffinity(int(thread)) - self._cpus
                    if beyond:
                        outside.append(beyond)
        return outside

    def result(self) -> StrayThreads:
        """The threads that were seen."""
        return StrayThreads(
            looks=self._looks,
            looks_outside=self._looks_outside,
            threads=self._threads,
            cpus=sorted(self._outside),
            programs=sorted(self._programs)[:MOST_PROGRAMS],
        )
