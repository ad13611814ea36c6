"""CPU time and memory of a process tree."""

import threading
import time
from contextlib import suppress
from pathlib import Path

from fairtrial.engine.process_tree import CpuTimes, Root, processes_below
from fairtrial.lab.meters.stray_threads import StrayThreadWatch
from fairtrial.lab.meters.workers import WorkerWatch
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ServerMeter

SAMPLE_EVERY_SECONDS = 0.25
FIRST_SAMPLE_SECONDS = 0.002
"""The first pause between samples. Each further pause is twice as long, up to the meter's own, so that short-lived
processes are sampled as well."""


class TreeMeter:
    """Measures the process trees below some guards from `open` to `close`.

    CPU times are the kernel's, in ticks of 10 ms; they include processes that have ended (`cpu_seconds_below`).
    Resident memory is sampled: the sum over the tree, with shared pages counted in each process. With `since_start` the
    highest value of each single process (VmHWM) counts as well. The meter misses memory taken after a process's last
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
        self._peak_rss_bytes = 0
        self._rss_by_second: dict[int, int] = {}

    def open(self) -> None:
        """Open the window: read the CPU times, and start to sample memory."""
        times = CpuTimes(*self._roots)
        self._user_before, self._system_before = (0.0, 0.0) if self._since_start else times.read()
        self._opened_at = time.monotonic()
        self._workers.open(times.processes())
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
        self._workers.close(times.processes())
        self._closing.set()
        self._sampler.join()
        at_end = self.sample_memory()
        return ServerMeter(
            window_seconds=window,
            cpu_user_seconds=user - self._user_before,
            cpu_system_seconds=system - self._system_before,
            peak_rss_bytes=self._peak_rss_bytes,
            processes=len(processes_below(*self._roots)),
            rss_series_bytes=[
                self._rss_by_second[second] for second in sorted(self._rss_by_second) if second < int(window)
            ],
            end_rss_bytes=at_end or None,
            workers=self._workers.result(),
        )

    def abandon(self) -> None:
        """Stop sampling without a result."""
        self._closing.set()

    def sample_memory(self) -> int:
        """The trees' resident bytes now, which count towards the peak."""
        total, processes = 0, processes_below(*self._roots)
        if self._stray_threads is not None:
            self._stray_threads.look(processes)
        for process in processes:
            now, highest = _resident_bytes(process.pid)
            total += now
            if self._since_start:  # VmHWM covers the whole life of a process
                self._peak_rss_bytes = max(self._peak_rss_bytes, highest)
        self._peak_rss_bytes = max(self._peak_rss_bytes, total)
        return total

    def _sample_until_closed(self) -> None:
        pause_seconds = FIRST_SAMPLE_SECONDS
        while True:
            total = self.sample_memory()
            second = int(time.monotonic() - self._opened_at)
            self._rss_by_second[second] = max(self._rss_by_second.get(second, 0), total)
            if self._closing.wait(pause_seconds):
                return
            pause_seconds = min(2 * pause_seconds, self._every_seconds)


def _resident_bytes(pid: int) -> tuple[int, int]:
    """VmRSS and VmHWM of a process (proc(5)), in bytes; zeros if it has ended."""
    sizes = {"VmRSS": 0, "VmHWM": 0}
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name in sizes:
                sizes[name] = 1024 * int(value.split()[0])
    return sizes["VmRSS"], sizes["VmHWM"]
