"""Processes that lost their guard: the lab is a child subreaper (prctl(2)), so that they become its own, and ends them.

A guard ends what is below it. If the guard itself is killed, by the kernel or by what it guards, its processes become
children of the lab. They are told from those that the lab started by their session: the lab's other children are in the
lab's own session, or lead one and are known here.
"""

import ctypes
import os
import time
from collections.abc import Callable
from contextlib import suppress
from subprocess import Popen
from threading import Lock
from weakref import WeakSet

import psutil

PR_SET_CHILD_SUBREAPER = 36
"""include/uapi/linux/prctl.h"""
KILL_WITHIN_SECONDS = 10.0
"""A killed process that is not gone by then cannot be ended by anyone: it hangs in the kernel."""
LOOK_EVERY_SECONDS = 0.005

_libc = ctypes.CDLL(None, use_errno=True)
_lock = Lock()
"""Held while a process is started, so that none is looked at that is not known yet."""
_started: set[int] = set()
"""Numbers of processes that the lab started in a session of their own."""
_with_pipes: "WeakSet[Popen[bytes]]" = WeakSet()
"""Those of them that somebody still holds."""


def started_by_lab(start: Callable[[], "Popen[bytes]"]) -> "Popen[bytes]":
    """Start a process that leads a session of its own, and is no orphan for that.

    Raises:
        OSError: as `start`.
    """
    with _lock:
        _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # refused by no kernel since Linux 3.4
        process = start()
        _started.add(process.pid)
        _with_pipes.add(process)
        return process


def started_with_pipes() -> "list[Popen[bytes]]":
    """The processes that `started_by_lab` started, ended or not, of which somebody still holds the pipes."""
    with _lock:
        return list(_with_pipes)


def end_orphans() -> int:
    """End every process that became a child of the lab because its guard died, with all below it.

    Returns how many there were. What cannot be ended in ten seconds, because it hangs in the kernel, is left.
    """
    ended: set[int] = set()
    deadline = time.monotonic() + KILL_WITHIN_SECONDS
    while time.monotonic() < deadline:
        with _lock:
            orphans = _orphans()
            for process in orphans:
                with suppress(psutil.Error):
                    process.kill()
            for process in orphans:
                _reap(process.pid)
        ended |= {process.pid for process in orphans}
        if not orphans:
            break
        time.sleep(LOOK_EVERY_SECONDS)
    return len(ended)


def kill_tree(pid: int) -> None:
    """Kill a guard that does not answer, and all below it. What starts meanwhile becomes an orphan of the lab."""
    with suppress(psutil.Error):
        guard = psutil.Process(pid)
        tree = [*guard.children(recursive=True), guard]
        for process in tree:
            with suppress(psutil.Error):
                process.kill()


def _orphans() -> list[psutil.Process]:
    """The lab's children that it did not start, and what is below them."""
    lab_session = os.getsid(0)
    orphans: list[psutil.Process] = []
    children = psutil.Process().children()
    _started.intersection_update({child.pid for child in children})
    for child in children:
        with suppress(psutil.Error, ProcessLookupError):
            if child.pid in _started or os.getsid(child.pid) == lab_session:
                continue
            orphans += [child, *child.children(recursive=True)]
    return orphans


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
