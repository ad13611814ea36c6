"""CPU time and memory of a process tree."""

import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

import psutil

from fairtrial.record.model import ServerMeter

SAMPLE_EVERY_SECONDS = 0.25


def processes_below(*guard_pids: int) -> list[psutil.Process]:
    """Every live process of the trees below the guards, the guards themselves left out."""
    found = []
    for pid in guard_pids:
        with suppress(psutil.Error):
            found += psutil.Process(pid).children(recursive=True)
    return found


def cpu_seconds_below(*guard_pids: int) -> tuple[float, float]:
    """User and system seconds of every live process below the guards, with their children that ended."""
    user = system = 0.0
    for process in processes_below(*guard_pids):
        with suppress(psutil.Error):
            times = process.cpu_times()
            user += times.user + times.children_user
            system += times.system + times.children_system
    return user, system


def confine(guard_pid: int, cpus: Sequence[int]) -> None:
    """Bind every thread of the processes below the guard to these processors; what they start later inherits it."""
    for process in processes_below(guard_pid):
        with suppress(psutil.Error):
            for thread in process.threads():
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(thread.id, cpus)


class TreeMeter:
    """Measures the process trees below some guards from `open` to `close`.

    CPU times are the kernel's, in ticks of 10 ms; they include children that ended and were waited for. Resident memory
    is sampled every quarter of a second: the sum over the tree, shared pages counted in each process; the largest of
    each second is kept, so that growth can be seen.
    """

    def __init__(self, *guard_pids: int) -> None:
        self._guard_pids = guard_pids
        self._closing = threading.Event()
        self._sampler = threading.Thread(target=self._sample_memory, daemon=True)
        self._peak_rss_bytes = 0
        self._rss_by_second: dict[int, int] = {}

    def open(self) -> None:
        """The window opens: remember the CPU times, begin to watch memory."""
        self._opened_at = time.monotonic()
        self._user_before, self._system_before = cpu_seconds_below(*self._guard_pids)
        self._sampler.start()

    def close(self) -> ServerMeter:
        """The window closes."""
        user, system = cpu_seconds_below(*self._guard_pids)
        window = time.monotonic() - self._opened_at
        self._closing.set()
        self._sampler.join()
        return ServerMeter(
            window_seconds=window,
            cpu_user_seconds=user - self._user_before,
            cpu_system_seconds=system - self._system_before,
            peak_rss_bytes=self._peak_rss_bytes,
            processes=len(processes_below(*self._guard_pids)),
            rss_series_bytes=[
                self._rss_by_second[second] for second in sorted(self._rss_by_second) if second < int(window)
            ],
        )

    def abandon(self) -> None:
        """End the sampling without a figure."""
        self._closing.set()

    def _sample_memory(self) -> None:
        while True:
            total = 0
            for process in processes_below(*self._guard_pids):
                with suppress(psutil.Error):
                    total += process.memory_info().rss
            second = int(time.monotonic() - self._opened_at)
            self._rss_by_second[second] = max(self._rss_by_second.get(second, 0), total)
            self._peak_rss_bytes = max(self._peak_rss_bytes, total)
            if self._closing.wait(SAMPLE_EVERY_SECONDS):
                return
