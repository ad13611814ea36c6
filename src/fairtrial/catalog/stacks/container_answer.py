"""Asking a command that runs containers, within a time and a number of bytes."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import users_environment

ANSWER_WITHIN_SECONDS = 20.0
MOST_ANSWER_BYTES = 65_536


def answer_of(
    command: Sequence[str],
    remedy: str,
    *,
    within_seconds: float = ANSWER_WITHIN_SECONDS,
    most_bytes: int = MOST_ANSWER_BYTES,
) -> str:
    """A command's standard output, without the space around it, cut after `most_bytes`.

    Raises:
        Problem: it failed, or did not end in time; it is ended then.
    """
    command_line = printable(" ".join([Path(command[0]).name, *command[1:3]]), 200)
    # Files in place of pipes: what the command starts may hold a pipe open when it has been ended itself.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command,
                env=users_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise Problem(f"`{command_line}` cannot be run: {error.strerror}", remedy) from error
        try:
            status = process.wait(within_seconds)
        except subprocess.TimeoutExpired:
            raise Problem(f"`{command_line}` did not end within {within_seconds:g} s", remedy) from None
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        outputs = []
        for file in (output, errors):
            file.seek(0)
            outputs.append(file.read(most_bytes).decode(errors="replace").strip())
    if status != 0:
        why = printable("\n".join(each for each in reversed(outputs) if each), 400)
        raise Problem(f"`{command_line}` ended with status {status}: {why}", remedy)
    return outputs[0]
