"""py-spy: samples the Python frames of a running interpreter from outside.

Of each sample, the thread that holds the interpreter's lock. Otherwise py-spy takes every thread for busy that the
kernel could run: in a server with many threads those that have just got a request and wait for the lock, or for a
processor, hide the one that works (8 threads: 1% of the samples in a function that took 40% of the time).
"""

import re
import shutil
import sys
from collections import Counter
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.lab.profile.profilers.model import Profiler, Recording, Target
from fairtrial.lab.profile.tool import CommandRecording, Tool
from fairtrial.record.folded_stacks import MOST_BYTES, Stack, folded_lines

SAMPLES_PER_SECOND = 199
WITHOUT_LOCK = "t"
"""At the end of the name of an interpreter of free threads."""
INSTALL = "install py-spy (pipx install py-spy, or pip install py-spy)"
PERMIT = (
    "let this user look into its own programs: sysctl kernel.yama.ptrace_scope=0 (as root, until the next start), or "
    "run as root"
)


def is_python(program: str) -> bool:
    """Whether this is the executable of an interpreter that py-spy knows."""
    return re.fullmatch(r"python[0-9.]*t?", program) is not None


def _program() -> str | None:
    """On the PATH, or beside the lab's own interpreter."""
    return shutil.which("py-spy") or shutil.which("py-spy", path=str(Path(sys.executable).parent))


def _missing(_target: Target) -> Problem | None:
    return Problem("there is no `py-spy`, which profiles Python", INSTALL) if _program() is None else None


def _begin(target: Target) -> Recording:
    folded = target.folder / "py-spy.folded"
    of_lock = [] if target.program.endswith(WITHOUT_LOCK) else ["--gil"]
    tool = Tool(
        "py-spy",
        [
            *(_program() or "py-spy", "record", "--format", "raw", "--function", "--rate", str(SAMPLES_PER_SECOND)),
            *of_lock,
            *("--duration", str(max(1, round(target.seconds))), "--output", str(folded), "--pid", str(target.pid)),
        ],
        target.folder,
    )
    return CommandRecording(tool, lambda: _fold(folded), _explain)


def _explain(reason: str) -> str:
    denied = re.search(r"permission|permitted|ptrace|root", reason, re.IGNORECASE)
    return PERMIT if denied else "try py-spy by hand on the program"


def _fold(folded: Path) -> Counter[Stack]:
    try:
        with folded.open(encoding="utf-8", errors="replace") as file:
            return folded_lines(file.read(MOST_BYTES), "py-spy")
    except OSError as error:
        raise Problem(f"py-spy left no stacks: {error.strerror}", "try py-spy by hand on the program") from error


PROFILER = Profiler(name="py-spy", suits=is_python, missing=_missing, begin=_begin)
