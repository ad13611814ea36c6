"""The commands that build a contender or fetch it: bounded in time, ended when they are cancelled, and logged."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event

from fairtrial.base.printable import log_tail, printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.redaction import redaction_of
from fairtrial.engine.guard import Guarded

BUILD_WITHIN_SECONDS = 1800
LOOK_FOR_CANCELLATION_EVERY_SECONDS = 0.1


class BuildCancelled(Exception):
    """The build was ended from outside, and everything that it had started with it."""


def run_build_command(
    name: str,
    command: Sequence[str],
    folder: Path,
    log: Path,
    cancelled: Event,
    environment: Mapping[str, str],
    passed: Sequence[str] = (),
) -> None:
    """Run a command that makes something, with its output in the log, which then holds no secret that it was given.

    Args:
        environment: its variables. Passwords in URLs among them are hidden.
        passed: names of those whose values are hidden as a whole.

    Raises:
        Problem: it failed, or did not end in time.
        BuildCancelled: `cancelled` was set.
    """
    if cancelled.is_set():
        raise BuildCancelled
    command_line = printable(" ".join(command))
    redaction = redaction_of(environment, passed)
    with redaction.kept_log(log) as output:
        output.write(f"$ {command_line}\n".encode())
        output.flush()
        with Guarded(command, folder=folder, environment=environment, output=output) as step:
            deadline = time.monotonic() + BUILD_WITHIN_SECONDS
            while not step.ends_within(LOOK_FOR_CANCELLATION_EVERY_SECONDS):
                if cancelled.is_set():
                    raise BuildCancelled
                if time.monotonic() > deadline:
                    raise Problem(
                        f"`{command_line}` was still running after {BUILD_WITHIN_SECONDS // 60} minutes",
                        f"see {log} and mend {name}",
                    )
            status = step.status()
    if status != 0:
        raise Problem(
            f"`{command_line}` ended with status {status}:\n{log_tail(log, redaction.hidden)}",
            f"mend the stack; the whole output: {log}",
        )
