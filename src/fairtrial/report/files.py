"""Writes the reports of a result into a folder."""

from collections.abc import Sequence
from pathlib import Path

from fairtrial.base.document import json_text
from fairtrial.base.locations import REPORT_FILE, RESULT_FILE
from fairtrial.base.problem import Problem, status_of_unwritten
from fairtrial.base.text_file import write_atomically
from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.profile import NO_PROFILES, Profiles
from fairtrial.report.html import html_text


def write_reports(
    result: Result,
    record: ExperimentRecord,
    trials: Sequence[TrialRecord],
    folder: Path,
    profiles: Profiles = NO_PROFILES,
) -> Path:
    """Write `result.json` and `report.html` into `folder`, which exists.

    `result.json` comes first, so that the figures are safe if the HTML report fails.

    Returns:
        The path of the HTML report.

    Raises:
        Problem: a file cannot be written (full disk, read-only folder); an older file of the same name is unchanged.
    """
    try:
        write_atomically(folder / RESULT_FILE, json_text(result))
        write_atomically(folder / REPORT_FILE, html_text(result, record, trials, profiles))
    except OSError as error:
        raise Problem(
            f"reports cannot be written to {folder}: {error.strerror}",
            f"free space or make it writable; the record is safe: `fairtrial judge {folder}` rebuilds the reports",
            status_of_unwritten(error),
        ) from error
    return folder / REPORT_FILE
