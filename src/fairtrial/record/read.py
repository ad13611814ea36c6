"""Reads a record."""

from pathlib import Path

from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.write import RECORD_FILE


def read_record(folder: Path) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """The experiment and its trials from a results folder.

    An incomplete last line (the lab was killed while writing it) is left out.

    Raises:
        Problem: there is no record, or one of its lines is invalid.
    """
    path = folder / RECORD_FILE
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path}: cannot be read: {error}", "name a folder that `fairtrial run` wrote") from error
    if lines and not lines[-1].endswith("\n"):
        lines.pop()
    if not lines:
        raise Problem(f"{path}: is empty", "the run ended before its first trial: run it again")
    try:
        experiment = ExperimentRecord.model_validate_json(lines[0])
    except ValidationError as error:
        raise _invalid_line(path, 1, error) from error
    trials = []
    for number, line in enumerate(lines[1:], 2):
        try:
            trials.append(TrialRecord.model_validate_json(line))
        except ValidationError as error:
            raise _invalid_line(path, number, error) from error
    return experiment, trials


def _invalid_line(path: Path, number: int, error: ValidationError) -> Problem:
    fault = error.errors()[0]
    key = ".".join(str(part) for part in fault["loc"])
    return Problem(
        f"{path}, line {number}: {key}: {fault['msg']}",
        "the record was changed, or written by another version of Fairtrial",
    )
