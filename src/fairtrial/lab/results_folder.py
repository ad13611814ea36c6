"""The folder that a run leaves behind."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from fairtrial.base.exit_status import INTERRUPTED
from fairtrial.base.locations import REPORT_FILE, RESULT_FILE
from fairtrial.base.problem import Problem, status_of_unwritten
from fairtrial.record.profile import PROFILES_FILE, STACKS_FOLDER
from fairtrial.record.write import RECORD_FILE


@dataclass(frozen=True)
class FileKind:
    """Files of a results folder by the pattern of their path, with their contents and when they are written."""

    path: str
    holds: str
    when: str


CONTENTS = (
    FileKind(
        RECORD_FILE,
        "[observations](#recordjsonl), without any judgement",
        "one line at a time, flushed to disk (`fsync`) before the next trial begins",
    ),
    FileKind(
        RESULT_FILE,
        "outcomes, figures, intervals, verdicts and findings; its schema is "
        "[result.schema.json](../src/fairtrial/judge/result.schema.json)",
        "at the end, and again by `fairtrial judge DIR`, in one step",
    ),
    FileKind(REPORT_FILE, "the report: one file with its charts, which loads nothing", "likewise"),
    FileKind(
        PROFILES_FILE,
        "with `--profile`, [what one block more showed](#profilesjsonl), which is in no figure",
        "one line at a time, after all trials",
    ),
    FileKind(
        f"{STACKS_FOLDER}/NNN-STACK.PROFILER.folded",
        "stacks of calls, a line for each, as flame graph programs read them",
        "likewise",
    ),
    FileKind(
        "logs/NNN-STACK.log",
        "what the stack printed in trial NNN, if anything; one of more than 64 MiB is [cut off](checks.md#log-cut) "
        "after its first MiB",
        "during the trial",
    ),
    FileKind(
        "logs/NNN-STACK crash.log",
        "what it printed when it was started for the [crash audit](proof.md#crashes) of trial NNN",
        "after the trial",
    ),
    FileKind("logs/NNN-STACK hold.log", "likewise for its [hold audit](proof.md#holds)", "likewise"),
    FileKind("logs/NNN-STACK parts.log", "likewise with `--profile`", "likewise"),
    FileKind(
        "logs/build-STACK.log",
        "the commands that built the stack, or `STACK-VARIANT`, and their output; kept only if it was built in this "
        "run",
        "during the build",
    ),
)


@contextmanager
def results_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder `parent/NAME-TIME`; taken away again at the end if nothing was put into it.

    Raises:
        Problem: it cannot be made or written; or an interrupt came through, before the first trial or after the last.
    """
    folder = new_results_folder(parent, name)
    try:
        yield folder
    except KeyboardInterrupt:
        raise _interrupted(folder) from None
    finally:
        remove_if_empty(folder)


def _interrupted(folder: Path) -> Problem:
    record = folder / RECORD_FILE
    if record.exists() and len(record.read_bytes().splitlines()) > 1:
        remedy = f"its trials are recorded: report on them with fairtrial judge {folder}"
        return Problem("interrupted before the report was written", remedy, INTERRUPTED)
    return Problem("interrupted before the first trial: nothing was measured", "", INTERRUPTED)


def new_results_folder(parent: Path, name: str) -> Path:
    """Make `parent/NAME-TIME`; a second run within the same second gets a number behind it.

    Raises:
        Problem: it cannot be made or written.
    """
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    try:
        for number in range(100):
            folder = parent / (stem if number == 0 else f"{stem}-{number}")
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                if parent.is_dir():
                    continue
                raise
            (folder / "logs").mkdir(mode=0o700)
            return folder
    except OSError as error:
        raise Problem(
            f"results cannot be written to {parent}: {error.strerror}",
            "choose another folder with --out DIR",
            status_of_unwritten(error),
        ) from error
    raise Problem(f"{parent}: a hundred results of this second", "choose another folder with --out DIR")


def earlier_runs(folder: Path, name: str) -> int:
    """How many runs of an experiment of this name, each with a trial, have results beside the folder of this one."""
    of_this_name = re.compile(rf"{re.escape(name)}-\d{{8}}-\d{{6}}(-\d+)?")
    records = (each for each in folder.parent.glob(f"*/{RECORD_FILE}") if each.parent != folder)
    return sum(_has_trials(each) for each in records if of_this_name.fullmatch(each.parent.name))


def _has_trials(record: Path) -> bool:
    with suppress(OSError), record.open("rb") as lines:
        return len(list(islice(lines, 2))) == 2
    return False


def remove_if_empty(folder: Path) -> None:
    """Take a results folder away again if nothing was put into it."""
    for path in (folder / "logs", folder):
        try:
            path.rmdir()
        except OSError:
            return
