"""Reading a workload file, and whatever it names."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.workload_file.model import RequestEntry, WorkloadFile, rows_in
from fairtrial.experiment.workload_file.rows import RowTable, read_rows

SUFFIX = ".toml"


@dataclass(frozen=True)
class WorkloadSource:
    """A workload file with its rows."""

    file: Path
    model: WorkloadFile
    rows: Mapping[str, RowTable]
    """by the names of `[rows.NAME]`"""
    sha256: str
    """of the file and of every file that it names, as hex"""

    @property
    def name(self) -> str:
        """What the workload is called: the name of its file, which no workload of the lab's has."""
        return self.file.name

    @property
    def variables(self) -> list[str]:
        """The names of those that setup requests take."""
        return [name for entry in self.model.setup.values() for name in entry.take]

    def rows_of_setup(self, name: str) -> int:
        """How many rows of a table setup requests take."""
        entries = self.model.setup_entries().values()
        return sum(any(each.arguments[0] == name for _, each in rows_in(entry.sent_texts())) for entry in entries)

    def body_file(self, entry: RequestEntry) -> Path | None:
        """Where the file lies that is the body of a request."""
        return None if entry.body_file is None else _beside(self.file, entry.body_file)


def read_workload_file(file: Path) -> WorkloadSource:
    """Read a workload file, and the rows that it names. The environment is not looked at.

    Raises:
        Problem: it cannot be read or does not fit the model; a file that it names cannot be read, or does not hold
            what it is asked for. The reason names file and key.
    """
    model = read_toml(file, WorkloadFile)
    columns = model.columns()
    rows = {name: read_rows(_beside(file, each.file), columns[name]) for name, each in model.rows.items()}
    bodies = {}
    for key, entry in model.all_entries():
        if entry.body_file is not None:
            bodies[key] = _beside(file, entry.body_file)
            _assert_readable(bodies[key], f"{file}: {key}.body_file")
    named = [*(table.file for table in rows.values()), *bodies.values()]
    return WorkloadSource(file, model, rows, _sha256([file, *named]))


def names_file(workload: str) -> bool:
    """Whether `workload` of an experiment means a file, and none of the lab's workloads."""
    return workload.endswith(SUFFIX)


def _beside(file: Path, named: str) -> Path:
    return (file.parent / named).absolute()


def _assert_readable(file: Path, where: str) -> None:
    try:
        with file.open("rb"):
            pass
    except OSError as error:
        raise Problem(f"{where}: {file}: {error.strerror}", "name a file that can be read") from error


def _sha256(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for each in files:
        with each.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{each.name}\0{content}\0".encode())
    return digest.hexdigest()
