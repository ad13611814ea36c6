"""Processor time of each process of a tree, and how evenly processes that are alike share the work."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from fairtrial.base.printable import printable
from fairtrial.record.processes import Workers

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PARENT, USER, SYSTEM, BEGAN = 1, 11, 12, 19
"""Places in a process's stat, counted from the state, which is the first word behind the name (proc(5): ppid, utime,
stime, starttime)."""
DIGITS = re.compile(rb"[0-9]+")
"""Workers of one server differ by their number, or by that of a descriptor."""
AT_WORK = 0.01
"""Of the busiest one's processor time. Who has one connection of a hundred has as much."""
NAME_CHARACTERS = 40


@dataclass(frozen=True)
class _Used:
    name: str
    parent: int
    ticks: int


_Readings = Mapping[tuple[int, int], _Used]
"""By process and the moment of its start: a number may be given to another."""


class WorkerWatch:
    """Reads what each process used itself, from `open` to `close`: one small file for each, in ticks of 10 ms."""

    def open(self, processes: Iterable[psutil.Process]) -> None:
        """Open the window on these processes."""
        self._before = _read(processes)

    def close(self, processes: Iterable[psutil.Process]) -> None:
        """Close it. Those that began meanwhile are left out: they cannot have had an even share."""
        after = _read(processes)
        self._used = {
            key: _Used(now.name, now.parent, now.ticks - self._before[key].ticks)
            for key, now in after.items()
            if key in self._before
        }

    def result(self) -> Workers | None:
        """The group of like processes that used most; None if no two are alike, or none did anything.

        Command lines are read here, after the window.
        """
        pids = {pid for pid, _ in self._used}
        groups: dict[tuple[int, str, bytes], list[int]] = {}
        for (pid, _), used in self._used.items():
            # Instances of one stack have a guard each, which is not among its processes.
            parent = used.parent if used.parent in pids else 0
            groups.setdefault((parent, used.name, _command(pid)), []).append(used.ticks)
        alike = {key: ticks for key, ticks in groups.items() if len(ticks) > 1}
        busiest = max(alike, key=lambda key: sum(alike[key]), default=None)
        if busiest is None or not any(alike[busiest]):
            return None
        ticks = alike[busiest]
        return Workers(
            program=printable(busiest[1], NAME_CHARACTERS),
            processes=len(ticks),
            at_work=sum(each >= max(AT_WORK * max(ticks), 1) for each in ticks),
            least_cpu_seconds=min(ticks) / TICKS_PER_SECOND,
            most_cpu_seconds=max(ticks) / TICKS_PER_SECOND,
            cpu_seconds=sum(ticks) / TICKS_PER_SECOND,
        )


def _read(processes: Iterable[psutil.Process]) -> _Readings:
    readings = {}
    for process in processes:
        with suppress(OSError, ValueError, IndexError):  # it ended meanwhile
            text = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8", errors="replace")
            name, _, rest = text.partition("(")[2].rpartition(")")
            fields = rest.split()
            used = int(fields[USER]) + int(fields[SYSTEM])
            readings[process.pid, int(fields[BEGAN])] = _Used(name, int(fields[PARENT]), used)
    return readings


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return DIGITS.sub(b"", Path(f"/proc/{pid}/cmdline").read_bytes())
    return b""
