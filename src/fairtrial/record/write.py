"""Writes a record line by line, each of them to disk before the next trial begins."""

import os
from pathlib import Path

from fairtrial.base.private_file import opened_privately
from fairtrial.base.problem import Problem, status_of_unwritten
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.profile import Profile

RECORD_FILE = "record.jsonl"


class RecordWriter:
    """Appends lines to `record.jsonl` in a results folder, or to another file there; a context manager."""

    def __init__(self, folder: Path, name: str = RECORD_FILE) -> None:
        self._path = folder / name
        try:
            self._file = opened_privately(self._path, "ab", buffering=0)
        except OSError as error:
            raise self._problem(error) from error

    def append(self, line: ExperimentRecord | TrialRecord | Profile) -> None:
        """Write a line, and wait until it is on disk.

        Raises:
            Problem: the disk is full or cannot be written.
        """
        try:
            data = line.model_dump_json().encode() + b"\n"
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._problem(error) from error

    def _problem(self, error: OSError) -> Problem:
        return Problem(
            f"{self._path}: cannot be written: {error.strerror}",
            "free space there, or choose another folder with --out; what is not recorded cannot be defended",
            status_of_unwritten(error),
        )

    def __enter__(self) -> "RecordWriter":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
