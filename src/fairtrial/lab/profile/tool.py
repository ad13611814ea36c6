"""A profiler's commands: below a guard, so that none outlives the lab, and bounded in time and in what they write."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from fairtrial.base.printable import printable, printable_end
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import stack_environment
from fairtrial.engine.guard import Guarded
from fairtrial.record.folded_stacks import Stack

LOOK_EVERY_SECONDS = 0.05
LATE_SECONDS = 15.0
"""So long after the load a profiler may take to write what it saw: py-spy and perf begin late where they read the
symbols of a large program first."""
CONVERT_WITHIN_SECONDS = 60.0
MOST_BYTES = 256 * 2**20
"""Of what a command prints: 10 s of perf at 199 Hz on eight busy processors, with stacks of 80 frames."""
SAID_BYTES = 4096
SAID_CHARACTERS = 300


class Tool:
    """A command of a profiler that runs, with what it prints in `folder`/NAME.out and NAME.err.

    Raises:
        Problem: it cannot be run.
    """

    def __init__(self, name: str, command: Sequence[str], folder: Path) -> None:
        self.name, self._command = name, list(command)
        self.output, self.errors = folder / f"{name}.out", folder / f"{name}.err"
        try:
            with self.output.open("wb") as output, self.errors.open("wb") as errors:
                self._process = Guarded(
                    command, folder=folder, environment=stack_environment(), output=output, errors=errors
                )
        except OSError as error:
            raise Problem(
                f"{Path(command[0]).name} cannot be run: {error.strerror}", "see that it is installed and executable"
            ) from error

    def wait(self, within_seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Wait for its end, or `until` then.

        Raises:
            Problem: it failed, did not end in time, or prints without end.
        """
        deadline = time.monotonic() + within_seconds
        command_line = printable(" ".join([Path(self._command[0]).name, *self._command[1:2]]))
        while not until():
            status = self._process.wait(LOOK_EVERY_SECONDS)
            if status == 0:
                return
            if status is not None:
                raise Problem(f"`{command_line}` ended with status {status}{self._complaint()}", "")
            if self.output.stat().st_size > MOST_BYTES:
                self.close()
                raise Problem(f"`{command_line}` printed more than {MOST_BYTES >> 20} MiB", "profile a shorter load")
            if time.monotonic() > deadline:
                self.close()
                raise Problem(
                    f"`{command_line}` did not end within {within_seconds:.0f} s{self._complaint()}",
                    "try it by hand on the program",
                )

    def _complaint(self) -> str:
        """The end of what it complained of, behind a colon."""
        for file in (self.errors, self.output):
            with file.open("rb") as stream:
                stream.seek(max(0, file.stat().st_size - SAID_BYTES))
                text = printable_end(stream.read().decode(errors="replace"), SAID_CHARACTERS)
            if text:
                return f": {text}"
        return ""

    def close(self) -> None:
        """End it, if it still runs."""
        self._process.stop()


def converted(name: str, command: Sequence[str], folder: Path) -> Path:
    """Run a command to its end, and return the file with what it printed.

    Raises:
        Problem: it failed, or took or printed too much.
    """
    tool = Tool(name, command, folder)
    try:
        tool.wait(CONVERT_WITHIN_SECONDS)
    finally:
        tool.close()
    return tool.output


class CommandRecording:
    """A profiler that is one command, which ends by itself when its time is over.

    Args:
        fold: makes stacks of what it wrote; raises Problem.
        explain: a remedy for the reason why it failed.
    """

    allocated_bytes: int | None = None

    def __init__(self, tool: Tool, fold: Callable[[], Counter[Stack]], explain: Callable[[str], str]) -> None:
        self._tool, self._fold, self._explain = tool, fold, explain

    def end(self) -> None:
        """Its own time is that of the load."""

    def stacks(self) -> Counter[Stack]:
        """The stacks that it saw.

        Raises:
            Problem: it failed.
        """
        try:
            self._tool.wait(LATE_SECONDS)
        except Problem as problem:
            raise Problem(problem.reason, problem.remedy or self._explain(problem.reason)) from problem
        return self._fold()

    def close(self) -> None:
        """End it, if it still runs."""
        self._tool.close()
