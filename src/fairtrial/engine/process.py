"""An engine that was started and has been told its plan: on this machine, or on another one."""

import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Protocol, runtime_checkable

from fairtrial.base.problem import Problem
from fairtrial.engine.binary import engine_binary
from fairtrial.engine.events import send_plan
from fairtrial.engine.orphans import started_by_lab
from fairtrial.engine.plan import EnginePlan

RUN = ("run", "--die-with-parent")
"""The subcommand that offers loads; it ends when the lab does."""


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
    process = started_engine(*RUN)
    send_plan(process, text)
    return process


def started_engine(*arguments: str) -> "subprocess.Popen[bytes]":
    """An engine on this machine that has no plan yet. It ends with the lab.

    Args:
        arguments: its subcommand, with options.

    Raises:
        Problem: it cannot be started.
    """
    try:
        return started_by_lab(
            lambda: subprocess.Popen(
                [str(engine_binary()), *arguments],
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


def end_by_input(process: "subprocess.Popen[bytes]", within_seconds: float) -> None:
    """Close an engine's input, by which it ends; one that does not in time is killed. Its output is not read."""
    assert process.stdin and process.stdout and process.stderr
    with suppress(OSError):
        process.stdin.close()
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(within_seconds)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()
