"""CPU time and memory of a process tree."""

import threading
import time
from collections.abc import Sequence

import psutil

from fairtrial.engine.process_tree import CpuTimes, Root, processes_below
from fairtrial.lab.meters.memory import memory_of, process_sizes
from fairtrial.lab.meters.stray_threads import StrayThreadWatch
from fairtrial.lab.meters.workers import WorkerWatch
from fairtrial.record.machine import MachineMeter
from fairtrial.record.processes import MemoryKind, ServerMeter

SAMPLE_EVERY_SECONDS = 0.25
FIRST_SAMPLE_SECONDS = 0.002
"""The first pause between samples. Each further pause is twice as long, up to the meter's own, so that short-lived
processes are sampled as well."""
MEMORY_SHARE = 0.01
"""Of the time of a window, in which memory is read at most: a process that maps memory meanwhile may have to wait. To
read 500 MiB in pages of 4 KiB takes the kernel 11 ms, so such a tree is read once a second."""


class TreeMeter:
    """Measures the process trees below some guards from `open` to `close`.

    CPU times are the kernel's, in ticks of 10 ms; they include processes that have ended (`cpu_seconds_below`). Memory
    is sampled (`memory_of`). With `since_start` the highest resident size of each single process (VmHWM) counts as
    well, and the largest address space of one (VmPeak) is read. The meter misses memory taken after a process's last
    sample, and a joint peak of several processes between two samples. A peak of 0 bytes means that the tree ended
    before the first sample. The largest sum of each second is kept, so that growth is visible, and the one at the end.
    What each process used itself is read at both ends (`WorkerWatch`).

    Args:
        roots: the guards above the trees, which are not measured themselves, and containers.
        every_seconds: the longest pause between two samples of the memory.
        since_start: count everything that the trees have used since they started, not only from `open` on.
        stray_threads: is shown all processes at each sample within the window.
    """

    machine: MachineMeter | None = None
    """of the machine it says nothing"""

    def __init__(
        self,
        *roots: Root,
        every_seconds: float = SAMPLE_EVERY_SECONDS,
        since_start: bool = False,
        stray_threads: StrayThreadWatch | None = None,
    ) -> None:
        self._roots, self._every_seconds, self._since_start = roots, every_seconds, since_start
        self._stray_threads = stray_threads
        self._workers = WorkerWatch()
        self._closing = threading.Event()
        self._sampler = threading.Thread(target=self._sample_until_closed, daemon=True)
        self._peak_rss_bytes = self._peak_virtual_bytes = 0
        self.memory_kind = MemoryKind.PROPORTIONAL
        self._rss_by_second: dict[int, int] = {}
        self._times: CpuTimes | None = None

    def prepare(self) -> None:
        """Look through the trees, which takes milliseconds, right before `open`, which then takes less.

        Without this, `open` does it. What began in between is found when the meter is closed.
        """
        self._times = CpuTimes(*self._roots)

    def open(self) -> None:
        """Open the window: read the CPU times, and start to sample memory."""
        if self._times is None:
            self.prepare()
        assert self._times is not None
        self._user_before, self._system_before = (0.0, 0.0) if self._since_start else self._times.read()
        self._opened_at = time.monotonic()
        self._workers.open(self._times.processes())
        self._sampler.start()

    def close(self, ended_seconds_ago: float = 0.0) -> ServerMeter:
        """Close the window and return what the trees used in it.

        Args:
            ended_seconds_ago: when the load ended. Nobody asks anything of the trees since then: what they did is for
                requests of the window, which ends there, however late the meter is closed.
        """
        window = time.monotonic() - ended_seconds_ago - self._opened_at
        times = CpuTimes(*self._roots)
        user, system = times.read()
        self._closing.set()
        self._sampler.join()
        self._workers.close(times.processes())
        at_end = self.sample_memory()
        return ServerMeter(
            window_seconds=window,
            cpu_user_seconds=user - self._user_before,
            cpu_system_seconds=system - self._system_before,
            peak_rss_bytes=self._peak_rss_bytes,
            peak_virtual_bytes=self._peak_virtual_bytes or None,
            processes=len(processes_below(*self._roots)),
            rss_series_bytes=self._series(int(window)),
            end_rss_bytes=at_end or None,
            workers=self._workers.result(),
            memory_kind=self.memory_kind,
        )

    def _series(self, seconds: int) -> list[int]:
        """The largest sum in each second; of one in which memory was not due to be read, that of the one before it."""
        series = [self._rss_by_second.get(0, 0)][:seconds]
        for second in range(1, seconds):
            series.append(self._rss_by_second.get(second, series[-1]))
        return series

    def abandon(self) -> None:
        """Stop sampling without a result."""
        self._closing.set()

    def sample_memory(self) -> int:
        """The bytes that the trees hold now, which count towards the peak."""
        return self._read_memory(self._look())

    def _look(self) -> list[psutil.Process]:
        """Take a reading of the processes that there are now, of what is cheap to see."""
        processes = processes_below(*self._roots)
        if self._stray_threads is not None:
            self._stray_threads.look(processes)
        if self._since_start:  # these cover the whole life of a process
            for sizes in (process_sizes(process.pid) for process in processes):
                self._peak_rss_bytes = max(self._peak_rss_bytes, sizes.most_resident)
                self._peak_virtual_bytes = max(self._peak_virtual_bytes, sizes.most_virtual)
        return processes

    def _read_memory(self, processes: Sequence[psutil.Process]) -> int:
        reading = memory_of(process.pid for process in processes)
        if reading.kind is MemoryKind.RESIDENT:
            self.memory_kind = MemoryKind.RESIDENT
        self._peak_rss_bytes = max(self._peak_rss_bytes, reading.total_bytes)
        return reading.total_bytes

    def _sample_until_closed(self) -> None:
        pause_seconds, memory_due = FIRST_SAMPLE_SECONDS, 0.0
        while True:
            processes, began = self._look(), time.monotonic()
            if began >= memory_due:
                total, now = self._read_memory(processes), time.monotonic()
                memory_due = now + (now - began) / MEMORY_SHARE
                second = int(now - self._opened_at)
                self._rss_by_second[second] = max(self._rss_by_second.get(second, 0), total)
            if self._closing.wait(pause_seconds):
                return
            pause_seconds = min(2 * pause_seconds, self._every_seconds)
