"""Running programs of others so that none of their processes outlives the lab, however the lab ends.

The program `fairtrial-guard` is the parent of what is run. Its standard input is the lifeline: when `stop` closes it,
or the kernel because the lab died, the guard ends the whole process tree.
"""

import atexit
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import BinaryIO

import psutil

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.binary import guard_binary
from fairtrial.engine.command_user import CommandUser
from fairtrial.engine.log_limit import watch_log, watch_no_more
from fairtrial.engine.orphans import end_orphans, kill_tree, started_by_lab, started_with_pipes
from fairtrial.record.processes import Stop

GRACE_SECONDS = 5.0
"""How long a stack may take to end on SIGTERM. It is part of the contract."""

SPARE_SECONDS = 5.0
"""A guard ends soon after the time of grace: a killed process needs a moment, more on a busy machine."""

FORCED_STATUS = 137


@dataclass(frozen=True)
class Places:
    """Paths that a command alone sees: the guard starts it in a mount namespace of its own if there is anything."""

    files: Mapping[str, Path] = field(default_factory=dict)
    """by the absolute path at which it is seen, read-only, the absolute path of a file or a folder"""
    hosts: Mapping[str, str] = field(default_factory=dict)
    """by host name, the IP address"""


NO_PLACES = Places()


def _guard_command(command: Sequence[str], cpus: Sequence[int], places: Places, user: CommandUser | None) -> list[str]:
    """The command line of the guard over a command."""
    return [
        str(guard_binary()),
        *(("--cpus", ",".join(map(str, cpus))) if cpus else ()),
        *("--grace-seconds", str(GRACE_SECONDS)),
        *(word for path, source in places.files.items() for word in ("--file", f"{path}={source}")),
        *(word for name, address in places.hosts.items() for word in ("--host", f"{name}={address}")),
        *(() if user is None else user.options),
        "--",
        *command,
    ]


class Guarded:
    """A running command with everything that it starts. As a context manager, it stops the process tree at the end.

    Args:
        errors: takes its standard error; None: `output` does.
        user: who it is; None: who the lab is.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        output: BinaryIO,
        errors: BinaryIO | None = None,
        cpus: Sequence[int] = (),
        places: Places = NO_PLACES,
        user: CommandUser | None = None,
    ) -> None:
        self._swept = False
        self._log = watch_log(output)
        try:
            _none_outlives_this_process()
            self._guard = started_by_lab(
                lambda: subprocess.Popen(
                    _guard_command(command, cpus, places, user),
                    cwd=folder,
                    env=dict(environment),
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output if errors is None else errors,
                    start_new_session=True,  # Ctrl-C in the terminal is the lab's to handle
                )
            )
        except OSError as error:
            self._forget_log()
            raise Problem(
                f"`{printable(' '.join(command), 100)}` cannot be started in {folder}: {error.strerror}",
                "see with `fairtrial doctor` whether the cache was damaged; then run again",
            ) from error

    @property
    def pid(self) -> int:
        """The guard's process id. The command's whole process tree is below it."""
        return self._guard.pid

    def status(self) -> int | None:
        """Return the command's exit status, or None while it runs; -9 if the guard was killed, by signal 9."""
        return self._swept_after(self._guard.poll())

    def wait(self, timeout_seconds: float) -> int | None:
        """Wait for the exit status and return it, or None if the command still runs after `timeout_seconds`."""
        with suppress(subprocess.TimeoutExpired):
            return self._swept_after(self._guard.wait(timeout_seconds))
        return None

    def ends_within(self, seconds: float) -> bool:
        """Return True as soon as the command ends, or False after `seconds`.

        `wait` would look every 50 ms only, which is much of a short job.

        Until `status`, `wait` or `stop` is called, the kernel keeps its account of the ended guard (`/proc/PID/stat`).
        """
        if self._guard.returncode is not None:
            return True
        descriptor = os.pidfd_open(self.pid)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            return bool(poll.poll(max(0.0, seconds) * 1e3))
        finally:
            os.close(descriptor)

    def stop(self) -> Stop:
        """Close the lifeline and wait for the tree to end (SIGTERM, then SIGKILL after `GRACE_SECONDS`).

        A guard that was stopped is woken up. One that does not end all the same is killed with all that is below it.
        """
        started = time.monotonic()
        had_ended = self._guard.poll() is not None  # by itself: whatever its status, nothing was forced
        if self._guard.stdin and not self._guard.stdin.closed:
            with suppress(BrokenPipeError):
                self._guard.stdin.close()
        self._guard.send_signal(signal.SIGCONT)  # which does nothing to one that has ended
        try:
            status = self._guard.wait(GRACE_SECONDS + SPARE_SECONDS)
        except subprocess.TimeoutExpired:
            kill_tree(self.pid)
            status = self._guard.wait()
        self._swept_after(status)
        self._forget_log()
        forced = not had_ended and status in (FORCED_STATUS, -signal.SIGKILL)
        return Stop(seconds=round(time.monotonic() - started, 3), forced=forced)

    def _forget_log(self) -> None:
        if self._log is not None:
            watch_no_more(self._log)
            self._log = None

    def _swept_after(self, status: int | None) -> int | None:
        """The guard's status; one that a signal ended has left behind what was below it, which is ended now."""
        if status is not None and status < 0 and not self._swept:
            self._swept = True
            end_orphans()
        return status

    def __enter__(self) -> "Guarded":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


@cache
def _none_outlives_this_process() -> None:
    atexit.register(_end_all, str(guard_binary()))


def _end_all(program: str) -> None:
    """Wait for guards that still run at the exit, with their lifelines closed.

    An interrupt may come when a guard has just started, and nobody knows it yet who would stop it.
    """
    for process in started_with_pipes():
        if process.stdin:
            with suppress(OSError):
                process.stdin.close()
    guards = [child for child in psutil.Process().children() if _program_of(child) == program]
    _, late = psutil.wait_procs(guards, GRACE_SECONDS + SPARE_SECONDS)
    for guard in late:
        kill_tree(guard.pid)


def _program_of(process: psutil.Process) -> str | None:
    with suppress(psutil.Error):
        return next(iter(process.cmdline()), None)
    return None
