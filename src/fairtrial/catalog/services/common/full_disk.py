"""A full disk, as programs report it: often in their log alone, while clients learn only that something failed."""

import re
from pathlib import Path

from fairtrial.base.printable import LOG_TAIL_LINES, printable
from fairtrial.base.problem import Problem

NO_SPACE = re.compile(
    r"No space left on device|\b(?:error|Errcode:|errno:?) 28\b|wrote only \d+ of \d+ bytes", re.IGNORECASE
)
"""28 is ENOSPC on Linux (errno(3)); MariaDB writes the number. PostgreSQL writes the last alternative when half a page
fits, and it, too, takes that for a full disk."""

COMPLAINT = re.compile(rf"\b(?:FATAL|PANIC|ERROR)\b|{NO_SPACE.pattern}")
FREE_SPACE = "free space there, or set TMPDIR to a folder with more"
LOG_BYTES = 65_536


def complaints(output: str) -> str:
    """The last ten lines in which a program says why it failed, headed by a full disk if one of them reports it.

    If no line does, the last ten lines of all.
    """
    lines = output.splitlines()
    complaining = [line for line in lines if COMPLAINT.search(line)] or lines
    excerpt = [printable(line, 200) for line in complaining[-LOG_TAIL_LINES:]]
    return "\n".join(["no space left on its disk:", *excerpt] if NO_SPACE.search(output) else excerpt)


def with_full_disk(problem: Problem, log: Path) -> Problem:
    """The problem with a full disk as its cause, if the server's log reports one; else the problem itself."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - LOG_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return problem
    reports = [line for line in text.splitlines() if NO_SPACE.search(line)]
    if not reports:
        return problem
    line = printable(reports[-1].strip(), 200)
    return Problem(f"no space left on the disk of {log.parent.parent}: {line}\n{problem.reason}", FREE_SPACE)
