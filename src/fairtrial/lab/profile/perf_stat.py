"""perf (Linux) over the processes of a stack, for as long as a load lasts; and what `perf stat` says of them."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from fairtrial.base.problem import Problem
from fairtrial.lab.profile.tool import LATE_SECONDS, Tool

HOLD = 'exec <"$0"; echo; read _ || :'
"""The command that perf waits for. It begins when perf looks, says so, and ends when nobody has the pipe open that it
reads."""
VALUE, EVENT = 0, 2
"""Places in a line of `perf stat -x,`, whose second word is the unit (perf-stat(1), "CSV FORMAT")."""
OF_HYBRID = re.compile(r"\w+/([^/]+)/\w*")
"""`cpu_core/cycles/`, beside `cpu_atom/cycles/`: an event of processors of which some are of another kind."""

MODIFIERS = re.compile(r":[ukhIGHpPSDWe]+$")
"""`cycles:u`: of users who are not root, perf counts without the kernel's part (perf-list(1), "EVENT MODIFIERS")."""


class Perf:
    """A command of perf that looks at processes from when this is made until `end`, threads that they start included.

    Raises:
        Problem: it cannot.
    """

    def __init__(self, command: Sequence[str], pids: Sequence[int], folder: Path) -> None:
        folder.mkdir()
        pipe = folder / "pipe"
        os.mkfifo(pipe)
        self._descriptor = os.open(pipe, os.O_RDWR)
        words = ["perf", *command, "-p", ",".join(map(str, pids)), "-o", str(folder / "counts")]
        try:
            self._tool = Tool("perf", [*words, "--", "sh", "-c", HOLD, str(pipe)], folder)
        except BaseException:
            self._let_go()
            raise
        self.counts = folder / "counts"

    def begin(self) -> None:
        """Wait until it looks.

        Raises:
            Problem: it failed.
        """
        self._tool.wait(LATE_SECONDS, until=lambda: self._tool.output.stat().st_size > 0)

    def end(self) -> Path:
        """End it, and return the file that it wrote.

        Raises:
            Problem: it failed.
        """
        self._let_go()
        self._tool.wait(LATE_SECONDS)
        return self.counts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._let_go()
        self._tool.close()

    def _let_go(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def counts_by_event(printed: str) -> dict[str, int]:
    """By event, what `perf stat -x,` counted. Those that the machine does not count are left out.

    Raises:
        Problem: a line cannot be read.
    """
    counts: dict[str, int] = {}
    for line in printed.splitlines():
        words = line.split(",")
        if not line.strip() or line.startswith("#") or words[VALUE].startswith("<not "):
            continue
        try:
            event, value = words[EVENT], int(words[VALUE])
        except (IndexError, ValueError) as error:
            raise Problem("what `perf stat` says cannot be read", "report it, with the version of perf") from error
        hybrid = OF_HYBRID.fullmatch(event)
        name = hybrid[1] if hybrid else MODIFIERS.sub("", event)
        counts[name] = counts.get(name, 0) + value
    return counts
