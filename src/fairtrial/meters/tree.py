"""CPU time and memory of a process tree."""

import threading
import time
from contextlib import suppress

import psutil

from fairtrial.record.model import ServerMeter

SAMPLE_EVERY_SECONDS = 0.25


def processes_below(guard_pid: int) -> list[psutil.Process]:
    """Every live process of the tree below the guard, the guard itself left out."""
    with suppress(psutil.Error):
        return psutil.Process(guard_pid).children(recursive=True)
    return []


def cpu_seconds_below(guard_pid: int) -> tuple[float, float]:
    """User and system seconds of every live process below the guard, with their children that ended."""
    user = system = 0.0
    for process in processes_below(guard_pid):
        with suppress(psutil.Error):
            times = process.cpu_times()
            user += times.user + times.children_user
            system += times.system + times.children_system
    return user, system


class TreeMeter:
    """Measures one process tree from `open` to `close`.

    CPU times are the kernel's, in ticks of 10 ms; they include children that ended and were waited for. Resident memory
    is sampled every quarter of a second: the sum over the tree, shared pages counted in each process.
    """

    def __init__(self, guard_pid: int) -> None:
        self._guard_pid = guard_pid
        self._closing = threading.Event()
        self._sampler = threading.Thread(target=self._sample_memory, daemon=True)
        self._peak_rss_bytes = 0

    def open(self) -> None:
        """The window opens: remember the CPU times, begin to watch memory."""
        self._opened_at = time.monotonic()
        self._user_before, self._system_before = cpu_seconds_below(self._guard_pid)
        self._sampler.start()

    def close(self) -> ServerMeter:
        """The window closes."""
        user, system = cpu_seconds_below(self._guard_pid)
        window = time.monotonic() - self._opened_at
        self._closing.set()
        self._sampler.join()
        return ServerMeter(
            window_seconds=window,
            cpu_user_seconds=user - self._user_before,
            cpu_system_seconds=system - self._system_before,
            peak_rss_bytes=self._peak_rss_bytes,
            processes=len(processes_below(self._guard_pid)),
        )

    def abandon(self) -> None:
        """End the sampling without a figure."""
        self._closing.set()

    def _sample_memory(self) -> None:
        while True:
            total = 0
            for process in processes_below(self._guard_pid):
                with suppress(psutil.Error):
                    total += process.memory_info().rss
            self._peak_rss_bytes = max(self._peak_rss_bytes, total)
            if self._closing.wait(SAMPLE_EVERY_SECONDS):
                return
