"""A full disk, as programs complain of it: often in their log alone, while clients hear only that something failed."""

import re
from pathlib import Path

from fairtrial.base.printable import LOG_TAIL_LINES, printable
from fairtrial.base.problem import Problem

NO_SPACE = re.compile(
    r"No space left on device|\b(?:error|Errcode:|errno:?) 28\b|wrote only \d+ of \d+ bytes", re.IGNORECASE
)
"""28 is ENOSPC on Linux (errno(3)); MariaDB writes the number. PostgreSQL writes the last words where half a page fits,
and takes that for a full disk, too."""

COMPLAINT = re.compile(rf"\b(?:FATAL|PANIC|ERROR)\b|{NO_SPACE.pattern}")
REMEDY = "free space there, or set TMPDIR to a folder with more"
LOG_BYTES = 65_536


def complaints(said: str) -> str:
    """The lines by which a program says why it failed, ten at most, a full disk by name; its last ten if none does."""
    lines = said.splitlines()
    shown = [line for line in lines if COMPLAINT.search(line)] or lines
    told = [printable(line, 200) for line in shown[-LOG_TAIL_LINES:]]
    return "\n".join(["no space left on its disk:", *told] if NO_SPACE.search(said) else told)


def explained(problem: Problem, log: Path) -> Problem:
    """The problem with a full disk as its cause, if the server's log complains of one; else as it is."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - LOG_BYTES))
            said = file.read().decode(errors="replace")
    except OSError:
        return problem
    of_space = [line for line in said.splitlines() if NO_SPACE.search(line)]
    if not of_space:
        return problem
    line = printable(of_space[-1].strip(), 200)
    return Problem(f"no space left on the disk of {log.parent.parent}: {line}\n{problem.reason}", REMEDY)
