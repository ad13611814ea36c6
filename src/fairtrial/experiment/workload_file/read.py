"""Reading a workload file, and whatever it names."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.registry import did_you_mean
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.workload_file.body_check import BodyCheck, Pattern
from fairtrial.experiment.workload_file.expect import Expect
from fairtrial.experiment.workload_file.grpc_call import GrpcCall, proto_files
from fairtrial.experiment.workload_file.html_page import HtmlPage, read_html_page
from fairtrial.experiment.workload_file.model import RequestEntry, SetupEntry, WorkloadFile
from fairtrial.experiment.workload_file.multipart import FilePart, assert_bounded
from fairtrial.experiment.workload_file.rows import RowTable, read_rows
from fairtrial.experiment.workload_file.schema import AnswerSchema, read_schema_document, schema_file
from fairtrial.experiment.workload_file.state import StateStep, files_of

SUFFIX = ".toml"
PAGE = "docs/workload-file.md"

IN_EXPERIMENT = "workload."
"""What keys begin with where the workload is a table of the experiment."""


@dataclass(frozen=True)
class WorkloadSource:
    """A workload file with its rows, or the table of an experiment that says the same."""

    name: str
    """what the workload is called: the name of its file, which no workload of the lab's has"""
    file: Path
    """that it stands in; what it names lies beside it"""
    prefix: str
    """what messages put before its keys"""
    model: WorkloadFile
    requests: Mapping[str, RequestEntry]
    """those of the mix by name, each with the defaults"""
    setup: Mapping[str, SetupEntry]
    """those that are sent once before, in their order, with the defaults"""
    connection_setup: Mapping[str, SetupEntry]
    """those that each connection sends for itself"""
    rows: Mapping[str, RowTable]
    """by the names of `[rows.NAME]`"""
    checks: Mapping[str, BodyCheck]
    """by request, what the lab itself looks at in its answers; requests without are left out"""
    sha256: str
    """of the file and of every file that it names, as hex"""

    @property
    def reference_table(self) -> str:
        """The name of its table `[reference]`, as its file has to write it."""
        return f"{self.prefix if self.prefix == IN_EXPERIMENT else ''}reference"

    def body_file(self, entry: RequestEntry) -> Path | None:
        """Where the file lies that is the body of a request."""
        return None if entry.body_file is None else _beside(self.file, entry.body_file)

    def proto_file(self, call: GrpcCall) -> Path:
        """Where the file lies that describes the service of a call."""
        return _beside(self.file, call.proto)

    def part_file(self, part: FilePart) -> Path:
        """Where the file lies that is a part of a body."""
        return _beside(self.file, part.file)

    @property
    def data(self) -> Mapping[str, Sequence[Path]]:
        """By service, the files that it is loaded from, in their order."""
        return {name: [_beside(self.file, each) for each in files_of(it)] for name, it in self.model.data.items()}

    @property
    def reset_file(self) -> Path | None:
        """Where the SQL lies that brings the state back, if SQL does."""
        reset = self.model.reset
        return None if reset is None or reset.sql is None else _beside(self.file, reset.sql)


def read_workload(workload: str | WorkloadFile, name: str, origin: Path, folders: Sequence[Path]) -> WorkloadSource:
    """The workload that an experiment names or holds, of those for which `names_file` is true.

    Args:
        name: what the experiment calls it.
        origin: the experiment's file, beside which a workload file is looked for.
        folders: further ones to look into.

    Raises:
        Problem: as of `read_workload_file`, or there is no such file. Of a workload that the experiment holds, the
            reason names the key, but not the file; paths in it are relative to the experiment's.
    """
    if isinstance(workload, str):
        return read_workload_file(_workload_file(workload, [origin.parent, *folders]))
    content = json.dumps(workload.as_written(), sort_keys=True).encode()
    return _source(name, origin, IN_EXPERIMENT, workload, hashlib.sha256(content).hexdigest())


def _workload_file(name: str, folders: Sequence[Path]) -> Path:
    """The first file of this name in the folders."""
    for folder in folders:
        if (file := folder / name).is_file():
            return file
    raise Problem(
        f"there is no workload file {name} in {', '.join(dict.fromkeys(map(str, folders)))}"
        f"{did_you_mean(name, [file.name for folder in folders for file in folder.glob('*.toml')])}",
        "give its path relative to the experiment file, or name its folder with --workloads DIR",
    )


def read_workload_file(file: Path) -> WorkloadSource:
    """Read a workload file, and the rows that it names. The environment is not looked at.

    Raises:
        Problem: it cannot be read or does not fit the model; a file that it names cannot be read, or does not hold
            what it is asked for. The reason names file and key.
    """
    model = read_toml(file, WorkloadFile, PAGE)
    return _source(file.name, file, f"{file}: ", model, _sha256_of(file))


def _source(name: str, file: Path, prefix: str, model: WorkloadFile, sha256: str) -> WorkloadSource:
    """With what the model names.

    Args:
        sha256: of what the model was read from.
    """
    columns, setup, requests = model.columns(), model.setup_entries(), model.entries()
    rows = {name: read_rows(_beside(file, each.file), columns[name]) for name, each in model.rows.items()}
    bodies: list[Path] = []
    for table, entries in (("setup", setup), ("requests", requests)):
        for key, entry in entries.items():
            if entry.body_file is not None:
                bodies.append(_beside(file, entry.body_file))
                _assert_readable(bodies[-1], f"{prefix}{table}.{key}.body_file")
            if entry.grpc is not None:
                proto = _beside(file, entry.grpc.proto)
                _assert_readable(proto, f"{prefix}{table}.{key}.grpc.proto")
                bodies += proto_files(proto)
            for field, part in (entry.multipart or {}).items():
                if isinstance(part, FilePart):
                    bodies.append(_beside(file, part.file))
                    assert_bounded(bodies[-1], f"{prefix}{table}.{key}.multipart.{field}")
    checks, files_of_checks = _checks(file, prefix, model, requests)
    source = WorkloadSource(
        name,
        file,
        prefix,
        model,
        requests=requests,
        setup={name: entry for name, entry in setup.items() if entry.per == "load"},
        connection_setup={name: entry for name, entry in setup.items() if entry.per == "connection"},
        rows=rows,
        checks=checks,
        sha256="",
    )
    state = list(_files_of_state(source))
    for key, path in state:
        _assert_readable(path, f"{prefix}{key}")
    of_state = (path for _, path in state)
    files = [*(table.file for table in rows.values()), *bodies, *files_of_checks, *of_state]
    return replace(source, sha256=_sha256(name, sha256, files))


def _files_of_state(source: WorkloadSource) -> Iterator[tuple[str, Path]]:
    """(key, path) of each file that the state is made from or asked by; programs found on PATH are none of them."""
    for service, files in source.data.items():
        yield from ((f"data.{service}", path) for path in files)
    model = source.model
    if source.reset_file is not None:
        yield "reset.sql", source.reset_file
    entries: dict[str, StateStep] = {} if model.reset is None else {"reset": model.reset}
    for key, each in {**entries, **{f"audit.{name}": audit for name, audit in model.audit.items()}}.items():
        if each.command is not None and each.command[0].startswith("."):
            yield f"{key}.command", _beside(source.file, each.command[0])


def names_file(workload: str | WorkloadFile) -> bool:
    """Whether `workload` of an experiment means a file, or stands in place of one, and means none of the lab's."""
    return not isinstance(workload, str) or workload.endswith(SUFFIX)


def _checks(
    file: Path, prefix: str, model: WorkloadFile, requests: Mapping[str, RequestEntry]
) -> tuple[dict[str, BodyCheck], list[Path]]:
    """The lab's checks of answers, by request; and the files of the schemas and of the pages."""
    pages: dict[Path, HtmlPage] = {}
    documents: dict[Path, dict[str, str]] = {}
    for name, entry in requests.items():
        if (reference := entry.expect.json_schema) is not None:
            where = f"{prefix}{_key_of('schema', name, model)}: {printable(reference, 200)}"
            documents.setdefault(schema_file(file.parent, reference), {}).setdefault(reference, where)
    schemas: dict[str, AnswerSchema] = {}
    for path, references in documents.items():
        document = read_schema_document(path, next(iter(references.values())))
        for reference, schema in document.schemas(references).items():
            if isinstance(schema, Problem):
                raise schema
            schemas[reference] = schema
    checks = {}
    for name, entry in requests.items():
        reference = entry.expect.json_schema
        if reference is not None or entry.expect.matches:
            patterns = _patterns(entry.expect, f"{prefix}{_key_of('matches', name, model)}")
            checks[name] = BodyCheck(None if reference is None else schemas[reference], patterns)
        if entry.expect.html is not None:
            page = _beside(file, entry.expect.html)
            pages[page] = pages.get(page) or read_html_page(page, f"{prefix}{_key_of('html', name, model)}")
            checks[name] = BodyCheck(html=pages[page])
    return checks, [*documents, *pages]


def _patterns(expect: Expect, key: str) -> dict[str, Pattern]:
    patterns = {}
    for pointer, text in (expect.matches or {}).items():
        try:
            patterns[pointer] = Pattern(text)
        except ValueError as error:
            raise Problem(f"{key}: {pointer}: {error}", "write one such as '^\\d+$', in single quotes") from error
    return patterns


def _key_of(key: str, name: str, model: WorkloadFile) -> str:
    """Where the expectation of a request stands: with it, or among the defaults."""
    field = "json_schema" if key == "schema" else key
    in_request = field in model.requests[name].expect.model_fields_set
    return f"requests.{name}.expect.{key}" if in_request else f"defaults.expect.{key}"


def _beside(file: Path, name: str) -> Path:
    return (file.parent / name).absolute()


def _assert_readable(file: Path, where: str) -> None:
    try:
        with file.open("rb"):
            pass
    except OSError as error:
        raise Problem(f"{where}: {file}: {error.strerror}", "name a file that can be read") from error


def _sha256(name: str, sha256: str, files: list[Path]) -> str:
    """The digest of such a file and of those that it names."""
    digest = hashlib.sha256(f"{name}\0{sha256}\0".encode())
    for each in files:
        digest.update(f"{each.name}\0{_sha256_of(each)}\0".encode())
    return digest.hexdigest()


def _sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
