"""The kernel's counts for each process and thread of a tree: switches, page faults, waiting, reads and writes."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from fairtrial.engine.process_tree import Root, cpu_seconds_below, processes_below
from fairtrial.record.profile import KernelCounters

NANO = 1e-9
STATUS = {
    "voluntary_ctxt_switches": "voluntary_switches",
    "nonvoluntary_ctxt_switches": "involuntary_switches",
}
"""Of a thread's status, proc(5)."""
IO = {
    "syscr": "read_calls",
    "syscw": "write_calls",
    "read_bytes": "read_bytes",
    "write_bytes": "written_bytes",
}
"""Of a process's io, proc(5)."""
MINOR_FAULTS, MAJOR_FAULTS = 7, 9
"""Places in a process's stat, counted from the state, which is the first word behind the name (proc(5): minflt,
majflt)."""
SCHEDULED_FIELDS = 3
"""Of a thread's schedstat: seconds on a processor and waiting for one, both in nanoseconds, and time slices
(Documentation/scheduler/sched-stats.rst)."""

_Key = tuple[str, int, int]
"""A counter's name, process and thread (0: the process as a whole)."""


class KernelWatch:
    """Reads the counters of the trees below some guards, or of containers, from `open` to `close`.

    A process or thread that came meanwhile counts from its beginning. One that ended takes its counters with it, but
    for its CPU time.
    """

    def __init__(self, *roots: Root) -> None:
        self._roots = roots

    def open(self) -> None:
        """Open the window."""
        self._opened_at = time.monotonic()
        self._cpu = cpu_seconds_below(*self._roots)
        self._before = dict(_counts(self._roots))

    def close(self) -> KernelCounters:
        """Close the window and return what was counted in it."""
        after = dict(_counts(self._roots))
        user, system = cpu_seconds_below(*self._roots)
        window = time.monotonic() - self._opened_at
        counted: Counter[str] = Counter()
        for key, value in after.items():
            counted[key[0]] += max(0, value - self._before.get(key, 0))  # a number may have been given to another
        ran, waited = (counted.pop(f"{name}_nanoseconds", None) for name in ("ran", "waited"))
        return KernelCounters(
            window_seconds=window,
            cpu_user_seconds=user - self._cpu[0],
            cpu_system_seconds=system - self._cpu[1],
            ran_seconds=None if ran is None else ran * NANO,
            waited_seconds=None if waited is None else waited * NANO,
            **counted,
        )


def _counts(roots: tuple[Root, ...]) -> Iterator[tuple[_Key, int]]:
    for process in processes_below(*roots):
        folder = Path(f"/proc/{process.pid}")
        with suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            yield ("minor_faults", process.pid, 0), int(fields[MINOR_FAULTS])
            yield ("major_faults", process.pid, 0), int(fields[MAJOR_FAULTS])
        for name, value in _lines(folder / "io", IO):
            yield (name, process.pid, 0), value
        threads: list[Path] = []
        with suppress(OSError):
            threads = list((folder / "task").iterdir())
        for thread in threads:
            number = int(thread.name)
            for name, value in _lines(thread / "status", STATUS):
                yield (name, process.pid, number), value
            with suppress(OSError, ValueError):
                times = (thread / "schedstat").read_text().split()
                if len(times) == SCHEDULED_FIELDS:
                    yield ("ran_nanoseconds", process.pid, number), int(times[0])
                    yield ("waited_nanoseconds", process.pid, number), int(times[1])


def _lines(file: Path, names: dict[str, str]) -> Iterator[tuple[str, int]]:
    """The lines `NAME: NUMBER` of a file with these names, under the names that the record has for them."""
    with suppress(OSError, ValueError):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name in names:
                yield names[name], int(value)
