"""An engine that was started and has been told its plan: on this machine, or on another one."""

import subprocess
from collections.abc import Callable
from typing import IO, Any, Protocol, runtime_checkable

from fairtrial.base.problem import Problem
from fairtrial.engine.binary import engine_binary
from fairtrial.engine.events import send_plan
from fairtrial.engine.orphans import started_by_lab
from fairtrial.engine.plan import EnginePlan


class EngineProcess(Protocol):
    """An engine as the lab needs it: a `subprocess.Popen`, or what does the same for one on another machine.

    `stdout` and `stderr` are pipes of this machine, so that they can be waited for.
    """

    stdout: IO[bytes] | None
    stderr: IO[bytes] | None
    returncode: int | Any

    def poll(self) -> int | None:
        """The exit status, if it has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises `subprocess.TimeoutExpired`."""
        ...

    def send_signal(self, sig: int) -> None:
        """Send it a signal."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...


@runtime_checkable
class HeardLate(Protocol):
    """An engine whose events are kept elsewhere for a while, before the lab hears of them."""

    quiet_seconds: float
    """for so long at most, while it measures"""


EngineStart = Callable[[EnginePlan], EngineProcess]
"""Starts an engine and hands it the plan."""


def start_here(plan: EnginePlan) -> EngineProcess:
    """Start an engine on this machine. It ends with the lab.

    Raises:
        Problem: it cannot be started, or the plan holds what is no text.
    """
    text = plan.to_json().encode()
    try:
        process = started_by_lab(
            lambda: subprocess.Popen(
                [str(engine_binary()), "run", "--die-with-parent"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        )
    except OSError as error:
        raise Problem(
            f"the load engine {engine_binary()} cannot be started: {error.strerror}",
            "see with `fairtrial doctor` whether it was damaged; then run again",
        ) from error
    send_plan(process, text)
    return process
