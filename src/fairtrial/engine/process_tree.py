"""The process tree below a guard: its processes, and what they used."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from fairtrial.engine.container_tree import ContainerTree, used_by

VOLUNTARY_SWITCHES = re.compile(rb"^voluntary_ctxt_switches:\s*(\d+)$", re.MULTILINE)
"""In a thread's status, proc(5): how often it gave up its processor because it had to wait."""

Root = int | ContainerTree
"""The root of processes: a guard, by its process id, or a container that a daemon started."""


def processes_below(*roots: Root) -> list[psutil.Process]:
    """Return every live process of the trees below the guards, without the guards themselves, and of the containers."""
    processes: list[psutil.Process] = []
    for root in roots:
        if isinstance(root, ContainerTree):
            processes += root.processes()
            continue
        with suppress(psutil.Error):
            processes += psutil.Process(root).children(recursive=True)
    return processes


def cpu_seconds_below(*roots: Root) -> tuple[float, float]:
    """Return user and system seconds of every process below the guards and of the containers, alive or ended.

    The time of an ended process is added to that of the process that waited for it (proc(5): cutime, cstime); a guard
    waits for all that lost their parent. The time of processes that ended below one that ignores SIGCHLD is lost, as
    nobody waits for them.
    """
    return CpuTimes(*roots).read()


class CpuTimes:
    """User and system seconds of the processes below some guards and of containers, as `cpu_seconds_below` tells them.

    The trees are looked through when this is made; to read them takes less.
    """

    def __init__(self, *roots: Root) -> None:
        self._containers = [root for root in roots if isinstance(root, ContainerTree)]
        self._guard_pids = [root for root in roots if not isinstance(root, ContainerTree)]
        self._processes = processes_below(*self._guard_pids)
        self._guards: list[psutil.Process] = []
        for pid in self._guard_pids:
            with suppress(psutil.Error):
                self._guards.append(psutil.Process(pid))

    def processes(self) -> list[psutil.Process]:
        """The processes that were found, and those that are in the containers now."""
        return [*self._processes, *(process for container in self._containers for process in container.processes())]

    def read(self) -> tuple[float, float]:
        """The seconds so far. Of a process that ended, they are with whoever waited for it, or with its container."""
        user, system = used_by(self._processes)
        for guard in self._guards:
            with suppress(psutil.Error):
                times = guard.cpu_times()
                user, system = user + times.children_user, system + times.children_system
        for container in self._containers:
            of_user, of_system = container.cpu_seconds()
            user, system = user + of_user, system + of_system
        return user, system

    def of_newcomers(self) -> tuple[float, float]:
        """The seconds of processes that began since this was made, and still run; they are known from now on.

        Those of containers are in `read` already.
        """
        pids = {process.pid for process in self._processes}
        came = [process for process in processes_below(*self._guard_pids) if process.pid not in pids]
        self._processes += came
        return used_by(came)


def threads_below(*guard_pids: int) -> int:
    """Return the number of kernel threads of all live processes below the guards."""
    count = 0
    for process in processes_below(*guard_pids):
        with suppress(psutil.Error):
            count += process.num_threads()
    return count


def voluntary_switches_below(*guard_pids: int) -> int:
    """Return how often the live kernel threads of the processes below the guards gave up their processors so far."""
    count = 0
    for process in processes_below(*guard_pids):
        for status in Path(f"/proc/{process.pid}/task").glob("*/status"):
            with suppress(OSError):
                counted = VOLUNTARY_SWITCHES.search(status.read_bytes())
                count += int(counted[1]) if counted else 0
    return count


def confine(guard_pid: int, cpus: Sequence[int]) -> None:
    """Bind every thread of the processes below the guard to these processors. What they start later inherits that."""
    for process in processes_below(guard_pid):
        with suppress(psutil.Error):
            for thread in process.threads():
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(thread.id, cpus)
