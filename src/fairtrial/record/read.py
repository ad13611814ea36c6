"""Reads a record: from a results folder, or from a file of its own, compressed or not."""

import lzma
from pathlib import Path

from pydantic import ValidationError

from fairtrial.base.fault_words import first_fault
from fairtrial.base.problem import Problem
from fairtrial.base.regular_file import read_regular
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.write import RECORD_FILE

LARGEST_RECORD_BYTES = 1 << 30
"""A trial takes some 20 kB, so that this is more than any run comes to."""
REMEDY = "name a folder that `fairtrial run` wrote"
COMPRESSED = ".xz"
"""How the name of a file ends that is a record compressed by xz."""


def record_file(place: Path) -> Path:
    """The file of a record: in a results folder, or itself, compressed or not."""
    return place if place.suffix == COMPRESSED or place.is_file() else place / RECORD_FILE


def read_record(place: Path) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """The experiment and its trials from a results folder, or from a compressed record.

    An incomplete last line (the lab was killed while writing it) is left out.

    Raises:
        Problem: there is no record, or one of its lines is invalid.
    """
    path = record_file(place)
    try:
        lines = _whole_lines(path)
    except FileNotFoundError as error:
        where = f"holds no {RECORD_FILE}" if place.is_dir() else "is no folder"
        remedy = f"name the runs in it, such as {place}/*" if any(place.glob(f"*/{RECORD_FILE}*")) else REMEDY
        raise Problem(f"{place} {where}: it cannot be read as the results of a run", remedy) from error
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {error.strerror}", REMEDY) from error
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


def _whole_lines(path: Path) -> list[bytes]:
    """The lines that were written to their end. Of all characters that end a line, only this one ends a line of JSON.

    Raises:
        OSError: the file cannot be read.
        Problem: it is larger than any record, or is not compressed as its name says.
    """
    content = read_regular(path, LARGEST_RECORD_BYTES)
    if path.suffix == COMPRESSED:
        try:
            content = lzma.LZMADecompressor().decompress(content, LARGEST_RECORD_BYTES + 1)
        except lzma.LZMAError as error:
            raise Problem(f"{path}: {error}", "name a record that was compressed by xz") from error
    if len(content) > LARGEST_RECORD_BYTES:
        raise Problem(f"{path}: larger than {LARGEST_RECORD_BYTES} bytes", REMEDY)
    return content.split(b"\n")[:-1]


def _invalid_line(path: Path, number: int, error: ValidationError) -> Problem:
    return Problem(
        f"{path}, line {number}: {first_fault(error)}",
        "the record was changed, or written by another version of Fairtrial",
    )
