"""Writing the reports, so that a reader never sees half a file."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report.html import html_text
from fairtrial.report.json import json_text

RESULT_FILE = "result.json"
REPORT_FILE = "report.html"


def write_reports(result: Result, record: ExperimentRecord, trials: Sequence[TrialRecord], folder: Path) -> Path:
    """Write `result.json` and `report.html` into `folder`, which exists.

    `result.json` comes first: whatever happens to the report, the figures are safe.

    Returns:
        the path of the HTML report.

    Raises:
        Problem: a file cannot be written (full disk, read-only folder); an older one of the same name is untouched.
    """
    try:
        write_atomically(folder / RESULT_FILE, json_text(result))
        write_atomically(folder / REPORT_FILE, html_text(result, record, trials))
    except OSError as error:
        raise Problem(
            f"reports cannot be written to {folder}: {error.strerror}",
            f"free or unlock it; the record is safe: `fairtrial judge {folder}` then rebuilds them",
        ) from error
    return folder / REPORT_FILE


def write_text(path: Path, text: str) -> None:
    """Put `text` at `path`, whose folder is there.

    Raises:
        Problem: it cannot be written.
    """
    try:
        write_atomically(path, text)
    except OSError as error:
        raise Problem(f"{path} cannot be written: {error.strerror}", "is its folder there and free?") from error


def write_atomically(path: Path, text: str) -> None:
    """Put `text` at `path` in one step.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
