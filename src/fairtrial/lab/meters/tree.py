"""CPU time and memory of a process tree."""

import threading
import time
from contextlib import suppress
from pathlib import Path

from fairtrial.engine.process_tree import cpu_seconds_below, processes_below
from fairtrial.record.model import ServerMeter

SAMPLE_EVERY_SECONDS = 0.25
FIRST_SAMPLE_SECONDS = 0.002
"""Samples begin so close to each other, and each next one is twice as far, up to the meter's own distance: what lives
but for a moment is seen, too."""


class TreeMeter:
    """Measures the process trees below some guards from `open` to `close`.

    CPU times are the kernel's, in ticks of 10 ms; they include processes that ended (`cpu_seconds_below`). Resident
    memory is sampled: the sum over the tree, shared pages counted in each process; with `whole` also of each single
    process the most that it ever had (VmHWM). What is missed is memory taken after the last look at a process, and a
    peak of several processes together between two looks. 0 bytes: the tree ended before the first look.
    The largest sum of each second is kept, so that growth can be seen.

    Args:
        guard_pids: below them lie the trees; the guards themselves are not measured.
        every_seconds: the longest time between two looks at the memory.
        whole: all that the trees used since they began counts, not only what they use from `open` on.
    """

    def __init__(self, *guard_pids: int, every_seconds: float = SAMPLE_EVERY_SECONDS, whole: bool = False) -> None:
        self._guard_pids, self._every_seconds, self._whole = guard_pids, every_seconds, whole
        self._closing = threading.Event()
        self._sampler = threading.Thread(target=self._sample_memory, daemon=True)
        self._peak_rss_bytes = 0
        self._rss_by_second: dict[int, int] = {}

    def open(self) -> None:
        """The window opens: remember the CPU times, begin to watch memory."""
        self._opened_at = time.monotonic()
        self._user_before, self._system_before = (0.0, 0.0) if self._whole else cpu_seconds_below(*self._guard_pids)
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

    def look(self) -> int:
        """The tree's resident bytes now; they count for the peak."""
        total = 0
        for process in processes_below(*self._guard_pids):
            now, highest = _resident_bytes(process.pid)
            total += now
            if self._whole:  # VmHWM knows no window
                self._peak_rss_bytes = max(self._peak_rss_bytes, highest)
        self._peak_rss_bytes = max(self._peak_rss_bytes, total)
        return total

    def _sample_memory(self) -> None:
        pause_seconds = FIRST_SAMPLE_SECONDS
        while True:
            total = self.look()
            second = int(time.monotonic() - self._opened_at)
            self._rss_by_second[second] = max(self._rss_by_second.get(second, 0), total)
            if self._closing.wait(pause_seconds):
                return
            pause_seconds = min(2 * pause_seconds, self._every_seconds)


def _resident_bytes(pid: int) -> tuple[int, int]:
    """VmRSS and VmHWM of a process (proc(5)), in bytes; zeros where it is gone."""
    found = {"VmRSS": 0, "VmHWM": 0}
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name in found:
                found[name] = 1024 * int(value.split()[0])
    return found["VmRSS"], found["VmHWM"]
