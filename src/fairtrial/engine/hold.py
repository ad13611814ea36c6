"""Processes of the lab that stand still for a moment: SIGSTOP, which no process can catch, and SIGCONT (signal(7))."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairtrial.base.problem import Problem

STOP_WITHIN_SECONDS = 1.0
LOOK_EVERY_SECONDS = 0.0005
STOPPED, GONE, IN_KERNEL = b"T", b"ZX", b"D"
"""States of a thread (proc_pid_stat(5)). One that waits for a disk, or for its child to be another program (vfork(2)),
stops when that is over, before it does anything else."""


@contextmanager
def hold(*guards: int) -> Iterator[None]:
    """Within it, every thread of all processes below these guards is stopped. Afterwards they go on.

    The guards are not: should the lab die meanwhile, they end what is below them, by SIGKILL if need be.

    Raises:
        Problem: some do not stop.
    """
    stopped: set[int] = set()
    deadline = time.monotonic() + STOP_WITHIN_SECONDS
    looks_without = 0
    try:
        # Twice: one look may miss a process that was being started, or whose parent had just ended.
        while looks_without < 2:
            below = {pid for guard in guards for pid in descendants(guard)}
            pids = {pid for pid in below if _runs(pid, IN_KERNEL if pid in stopped else b"")}
            looks_without = 0 if pids else looks_without + 1
            if pids and time.monotonic() > deadline:
                raise Problem(f"processes {sorted(pids)} do not stop", "is this machine busy? run it again")
            for pid in pids - stopped:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            stopped |= pids
            if pids:
                time.sleep(LOOK_EVERY_SECONDS)
        yield
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def descendants(pid: int) -> list[int]:
    """The process ids of all descendants, from the kernel's lists of children (proc(5)): no other process is read."""
    pids: list[int] = []
    with suppress(OSError, ValueError):
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in map(int, children.read_text().split()):
                pids += [child, *descendants(child)]
    return pids


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped, by its first thread."""
    return _state(Path(f"/proc/{pid}/stat")) == STOPPED


def _runs(pid: int, beside: bytes) -> bool:
    """Whether any of its threads is neither stopped nor at its end, nor in one of these states beside."""
    return any(_state(stat) not in STOPPED + GONE + beside for stat in Path(f"/proc/{pid}/task").glob("*/stat"))


def _state(stat: Path) -> bytes:
    with suppress(OSError, IndexError):
        # It follows the name, which may hold any character, in brackets (proc_pid_stat(5)).
        return stat.read_bytes().rpartition(b")")[2].split()[0]
    return GONE
