"""The folder that a run leaves behind."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from fairtrial.base.exit_status import INTERRUPTED
from fairtrial.base.problem import Problem
from fairtrial.record.write import RECORD_FILE


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
            f"results cannot be written to {parent}: {error.strerror}", "choose another folder with --out DIR"
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
