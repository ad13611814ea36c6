"""One lab at a time on a processor of this machine, whoever runs it: two would measure each other.

For each processor there is a file in a folder that all users share. The lab locks those of its processors (flock(2))
as long as it lives: the kernel frees the locks of a lab that was killed. Labs take them in the same order, so that none
waits for another in a circle; labs on different processors do not wait. The files are empty and nothing is read from
them, so that nobody can put anything into them: who holds a lock is asked of the kernel.
"""

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

FOLDER = "/tmp"  # noqa: S108 (the same for all users, whatever TMPDIR says)
FOLDER_FROM = "FAIRTRIAL_LOCKS"
"""The environment variable that names another folder."""
NAME = "fairtrial-processor-{cpu}.lock"
RETRY_AFTER_SECONDS = 0.5


@contextmanager
def processors_held(cpus: Sequence[int], on_wait: Callable[[str], None], *, wait: bool = True) -> Iterator[None]:
    """Keep other labs off these processors; if one is there, wait until it has ended.

    Args:
        on_wait: is called with who is waited for, once for each.
        wait: false: do not wait.

    Raises:
        Problem: another lab has one of the processors, and `wait` is false.
    """
    with ExitStack() as locks:
        for cpu in sorted(set(cpus)):
            descriptor = _opened(cpu)
            if descriptor is None:
                on_wait(f"nobody is kept off processor {cpu}: {_path(cpu)} is no lock that this user may open")
                continue
            locks.callback(os.close, descriptor)
            _lock(descriptor, cpu, on_wait, wait=wait)
        yield


def _lock(descriptor: int, cpu: int, on_wait: Callable[[str], None], *, wait: bool) -> None:
    last_holder = None
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(descriptor)
            if not wait:
                raise Problem(
                    f"another lab measures on processor {cpu}: {holder}",
                    "wait until it has ended (leave --no-wait out), or give the labs different processors with taskset",
                ) from None
            if holder != last_holder:
                on_wait(f"waiting for another lab, which measures on processor {cpu}: {holder}")
                last_holder = holder
            time.sleep(RETRY_AFTER_SECONDS)
        else:
            return


def _path(cpu: int) -> Path:
    return Path(os.environ.get(FOLDER_FROM) or FOLDER) / NAME.format(cpu=cpu)


def _opened(cpu: int) -> int | None:
    """The descriptor of a processor's file, which is made if it is not there; None if something else is there.

    It is opened to be read only, which is enough to lock it: the file may be another user's.
    """
    path = _path(cpu)
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    for attempt in (flags, flags | os.O_CREAT | os.O_EXCL, flags):
        with suppress(OSError):
            descriptor = os.open(path, attempt, 0o444)
            if attempt & os.O_CREAT:
                os.fchmod(descriptor, 0o444)  # whatever the umask: others are to lock it
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return descriptor
            os.close(descriptor)
            return None
    return None


def _holder(descriptor: int) -> str:
    """Who holds the lock of a file, as /proc/locks has it (proc(5)): `process 123 of ada, since 14:02`."""
    with suppress(OSError, ValueError, IndexError, psutil.Error):
        number = str(os.fstat(descriptor).st_ino)
        for line in Path("/proc/locks").read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[1] == "FLOCK" and words[5].rpartition(":")[2] == number:
                process = psutil.Process(int(words[4]))
                since = time.strftime("%H:%M", time.localtime(process.create_time()))
                return f"process {process.pid} of {printable(process.username(), 40)}, since {since}"
    return "a process that this user cannot see"
