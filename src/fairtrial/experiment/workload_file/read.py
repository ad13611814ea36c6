"""Reading a workload file, and whatever it names."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.workload_file.model import RequestEntry, WorkloadFile
from fairtrial.experiment.workload_file.rows import RowTable, read_rows
from fairtrial.experiment.workload_file.state import Asked, files_of

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

    def body_file(self, entry: RequestEntry) -> Path | None:
        """Where the file lies that is the body of a request."""
        return None if entry.body_file is None else _beside(self.file, entry.body_file)

    @property
    def data(self) -> Mapping[str, Sequence[Path]]:
        """By service, the files that it is loaded from, in their order."""
        return {name: [_beside(self.file, each) for each in files_of(it)] for name, it in self.model.data.items()}

    @property
    def reset_file(self) -> Path | None:
        """Where the SQL lies that brings the state back, if SQL does."""
        reset = self.model.reset
        return None if reset is None or reset.sql is None else _beside(self.file, reset.sql)


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
    for name, entry in model.requests.items():
        if entry.body_file is not None:
            bodies[name] = _beside(file, entry.body_file)
            _assert_readable(bodies[name], f"{file}: requests.{name}.body_file")
    source = WorkloadSource(file, model, rows, sha256="")
    state = list(_files_of_state(source))
    for key, path in state:
        _assert_readable(path, f"{file}: {key}")
    named = [*(table.file for table in rows.values()), *bodies.values(), *(path for _, path in state)]
    return replace(source, sha256=_sha256([file, *named]))


def _files_of_state(source: WorkloadSource) -> Iterator[tuple[str, Path]]:
    """(key, path) of each file that the state is made from or asked by; programs found on PATH are none of them."""
    for service, files in source.data.items():
        yield from ((f"data.{service}", path) for path in files)
    model = source.model
    if source.reset_file is not None:
        yield "reset.sql", source.reset_file
    asked: dict[str, Asked] = {} if model.reset is None else {"reset": model.reset}
    for key, each in {**asked, **{f"audit.{name}": audit for name, audit in model.audit.items()}}.items():
        if each.command is not None and each.command[0].startswith("."):
            yield f"{key}.command", _beside(source.file, each.command[0])


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
