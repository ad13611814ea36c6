"""Processor time of the kernel's own threads, which write pages back, encrypt blocks or handle packets for others."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PF_KTHREAD = 0x00200000
"""Of a task's flags, proc_pid_stat(5): it is a thread of the kernel (include/linux/sched.h)."""

FLAGS, USER_TICKS, SYSTEM_TICKS, PROCESSOR = 6, 11, 12, 36
"""Places in proc_pid_stat(5), counted from the state, which follows the name in parentheses."""

FOR_OTHERS = ("vhost-", "nfsd", "ksmbd")
"""Names of threads by which the kernel serves virtual machines and clients of other hosts: they are other work."""

WORKER = re.compile(r"kworker/[^-+]*[-+]?")
"""Before the name of the queue that it works on, as far as it has one."""

MOST_NAMES = 5
STAT_BYTES = 4096
"""More than the line of a process: 52 numbers, and a name of 64 characters at most."""


@dataclass(frozen=True)
class _Thread:
    name: str
    ticks: int
    cpu: int
    """the processor that it ran on last"""


@dataclass(frozen=True)
class KernelThreadTimes:
    """Processor time of the kernel's threads in a window, in seconds."""

    by_cpu: dict[int, float] = field(default_factory=dict)
    """by the processor on which each ran last"""
    by_name: dict[str, float] = field(default_factory=dict)
    """of those that used most; workers by the queue they worked on when it ended"""


class KernelThreads:
    """The kernel's threads by their ids, as /proc shows them below `root` at one moment.

    A container with process ids of its own shows none: then none is known.
    """

    def __init__(self, root: Path) -> None:
        self._threads = dict(_threads(root / "proc"))

    def __bool__(self) -> bool:
        return bool(self._threads)

    def since(self, before: "KernelThreads") -> KernelThreadTimes:
        """The use since `before`. A thread that began since counts whole, one that ended since is lost."""
        by_cpu, by_name = Counter[int](), Counter[str]()
        for pid, thread in self._threads.items():
            earlier = before._threads.get(pid)
            ticks = thread.ticks if earlier is None else max(thread.ticks - earlier.ticks, 0)
            if ticks:
                by_cpu[thread.cpu] += ticks
                by_name[WORKER.sub("", thread.name, count=1) or "kworker"] += ticks
        return KernelThreadTimes(
            {cpu: ticks / TICKS_PER_SECOND for cpu, ticks in sorted(by_cpu.items())},
            {name: ticks / TICKS_PER_SECOND for name, ticks in by_name.most_common(MOST_NAMES)},
        )


def _threads(proc: Path) -> Iterator[tuple[int, _Thread]]:
    with suppress(OSError):
        for name in os.listdir(proc):
            if name.isdigit() and (thread := _thread(f"{proc}/{name}/stat")) is not None:
                yield int(name), thread


def _thread(file: str) -> _Thread | None:
    """A kernel thread, from a process's stat; None if the process is no thread of the kernel's, or has ended.

    There are dozens for each processor, and the window waits for them: this is read without buffers and decoding.
    """
    with suppress(OSError, ValueError, IndexError):
        descriptor = os.open(file, os.O_RDONLY)
        try:
            head, _, rest = os.read(descriptor, STAT_BYTES).rpartition(b")")
        finally:
            os.close(descriptor)
        words = rest.split()
        name = head.partition(b"(")[2].decode(errors="replace")
        if int(words[FLAGS]) & PF_KTHREAD and not name.startswith(FOR_OTHERS):
            return _Thread(name, int(words[USER_TICKS]) + int(words[SYSTEM_TICKS]), int(words[PROCESSOR]))
    return None
