"""The process tree below a guard: who is in it, and what it used."""

import os
from collections.abc import Sequence
from contextlib import suppress

import psutil


def processes_below(*guard_pids: int) -> list[psutil.Process]:
    """Every live process of the trees below the guards, the guards themselves left out."""
    found = []
    for pid in guard_pids:
        with suppress(psutil.Error):
            found += psutil.Process(pid).children(recursive=True)
    return found


def cpu_seconds_below(*guard_pids: int) -> tuple[float, float]:
    """User and system seconds of every process below the guards, alive or ended.

    A process that ended is in the account of whoever waited for it (proc(5): cutime, cstime); a guard waits for all
    that lost their parent. Lost is what ended below a process that ignores SIGCHLD: nobody waits for that.
    """
    user = system = 0.0
    for pid in guard_pids:
        with suppress(psutil.Error):
            times = psutil.Process(pid).cpu_times()
            user += times.children_user
            system += times.children_system
    for process in processes_below(*guard_pids):
        with suppress(psutil.Error):
            times = process.cpu_times()
            user += times.user + times.children_user
            system += times.system + times.children_system
    return user, system


def threads_below(*guard_pids: int) -> int:
    """Kernel threads of every live process below the guards."""
    count = 0
    for process in processes_below(*guard_pids):
        with suppress(psutil.Error):
            count += process.num_threads()
    return count


def confine(guard_pid: int, cpus: Sequence[int]) -> None:
    """Bind every thread of the processes below the guard to these processors; what they start later inherits it."""
    for process in processes_below(guard_pid):
        with suppress(psutil.Error):
            for thread in process.threads():
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(thread.id, cpus)
