"""Chooses the processes of a stack that are worth a profiler: those that do the work."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from fairtrial.base.printable import printable
from fairtrial.engine.process_tree import Root, processes_below

MOST_PROCESSES = 8
LEAST_SHARE = 0.05
"""Of the CPU time that the whole tree used under load."""


def cpu_seconds_by_process(roots: Sequence[Root]) -> dict[int, float]:
    """By process id, the CPU seconds of each live process so far."""
    used = {}
    for process in processes_below(*roots):
        with suppress(psutil.Error):
            times = process.cpu_times()
            used[process.pid] = times.user + times.system
    return used


def busiest(before: Mapping[int, float], after: Mapping[int, float]) -> list[int]:
    """Ids of the processes that used most in between, the busiest first: 8 at most, and none that hardly did a thing.

    Where none did anything, all of them are as good as each other.
    """
    used = {pid: seconds - before.get(pid, 0.0) for pid, seconds in after.items()}
    total = sum(used.values())
    ranked = sorted(used, key=lambda pid: -used[pid])
    return [pid for pid in ranked if used[pid] >= LEAST_SHARE * total][:MOST_PROCESSES]


def executable(pid: int) -> tuple[str, Path | None]:
    """The name of a process's executable, and its path if that may be read; `?` for one that has ended."""
    with suppress(OSError):
        path = Path(f"/proc/{pid}/exe").readlink()
        return printable(path.name.removesuffix(" (deleted)"), 60), path
    with suppress(OSError):
        return printable(Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace"), 60), None
    return "?", None
