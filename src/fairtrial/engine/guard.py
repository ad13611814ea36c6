"""Running programs of others so that none of their processes outlives the lab, however the lab ends.

The program `fairtrial-guard` is the parent of what is run. Its standard input is the lifeline: when `stop` closes it,
or the kernel because the lab died, the guard ends the whole process tree.
"""

import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from fairtrial.engine.binary import guard_binary
from fairtrial.record.model import Stop

GRACE_SECONDS = 5.0
"""How long a stack may take to end on SIGTERM. It is part of the contract."""

FORCED_STATUS = 137


@dataclass(frozen=True)
class Places:
    """What a command alone sees: the guard starts it in a mount namespace of its own if there is anything."""

    files: Mapping[str, Path] = field(default_factory=dict)
    """by the absolute path at which it is seen, read-only, the absolute path of a file or a folder"""
    hosts: Mapping[str, str] = field(default_factory=dict)
    """by host name, the IP address"""


NO_PLACES = Places()


def _guard_command(command: Sequence[str], cpus: Sequence[int], places: Places) -> list[str]:
    """The command line of the guard over a command."""
    return [
        str(guard_binary()),
        *(("--cpus", ",".join(map(str, cpus))) if cpus else ()),
        *("--grace-seconds", str(GRACE_SECONDS)),
        *(word for path, source in places.files.items() for word in ("--file", f"{path}={source}")),
        *(word for name, address in places.hosts.items() for word in ("--host", f"{name}={address}")),
        "--",
        *command,
    ]


class Guarded:
    """A running command with everything that it starts. As a context manager, it stops the process tree at the end."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        output: BinaryIO,
        cpus: Sequence[int] = (),
        places: Places = NO_PLACES,
    ) -> None:
        self._guard = subprocess.Popen(
            _guard_command(command, cpus, places),
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C in the terminal is the lab's to handle
        )

    @property
    def pid(self) -> int:
        """The guard's process id. The command's whole process tree is below it."""
        return self._guard.pid

    def status(self) -> int | None:
        """Return the command's exit status, or None while it runs."""
        return self._guard.poll()

    def wait(self, timeout_seconds: float) -> int | None:
        """Wait for the exit status and return it, or None if the command still runs after `timeout_seconds`."""
        with suppress(subprocess.TimeoutExpired):
            return self._guard.wait(timeout_seconds)
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
        """Close the lifeline and wait for the tree to end (SIGTERM, then SIGKILL after `GRACE_SECONDS`)."""
        started = time.monotonic()
        if self._guard.stdin and not self._guard.stdin.closed:
            with suppress(BrokenPipeError):
                self._guard.stdin.close()
        status = self._guard.wait()
        return Stop(seconds=round(time.monotonic() - started, 3), forced=status == FORCED_STATUS)

    def __enter__(self) -> "Guarded":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
