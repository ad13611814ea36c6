"""An entry adopted: its files, and beside them the experiments and workloads by which it is tried.

The files are as they were; a container's Dockerfile is that of the test.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fairtrial.base.cache.digest import folder_sha256
from fairtrial.base.network_namespace import why_no_network_namespace
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.container_program import container_program
from fairtrial_adopt.boards import read_entry
from fairtrial_adopt.entry import Entry, EntryExamination
from fairtrial_adopt.program import Program, program_of
from fairtrial_adopt.source import Source, copy_source, entry_folder
from fairtrial_adopt.workload import write_workload
from fairtrial_import.toml_text import comments, inline, string, table_lines

As = Literal["container", "program"]
SOURCE, IMAGE = "source", ".image"
BLOCKS = 5
OPENED = {"kind": "closed", "connections": 16, "warmup_seconds": 1.0, "duration_seconds": 3.0}
COUNTED = {"kind": "fixed", "requests": 1000, "connections": 16}
"""So many that the audit can still tell how many updates were kept: techempower-updates.workload.toml."""
PORTS = {"postgresql": 5432, "mariadb": 3306}
LOGIN = {"user": "benchmarkdbuser", "password": "benchmarkdbpass", "database": "hello_world"}
"""Which stand in the sources of TechEmpower's entries."""
READY_WITHIN_SECONDS = 120
"""Some open hundreds of connections first."""


@dataclass(frozen=True)
class Adopted:
    """An entry that was adopted."""

    entry: Entry
    sha256: str
    """of its files"""
    experiments: list[Path]


class NotAdopted(Problem):
    """An entry that was read and cannot be adopted here."""

    def __init__(self, entry: Entry, problem: Problem) -> None:
        super().__init__(problem.reason, problem.remedy)
        self.entry = entry


def adopt(source: Source, out: Path, how: As | None) -> Adopted:
    """Write an entry into a new folder `out/NAME`.

    Args:
        how: None: as a container if a program that runs containers answers here, else as a program.

    Raises:
        NotAdopted: something of it cannot be done here, or its files are others than the registry says. Nothing is
            left of it.
        Problem: it cannot be fetched or read.
    """
    with entry_folder(source) as folder:
        entry = read_entry(folder, source.test)
        target = out / entry.name
        try:
            with _removed_if_it_fails(target):
                return _write(entry, source, folder_sha256(folder), target, how or _usual())
        except Problem as problem:
            raise NotAdopted(entry, problem) from problem
        except (OSError, ValueError, RuntimeError) as error:  # the last is of links in a circle
            reason = printable(f"{target}: not written: {error}", 300)
            raise NotAdopted(entry, Problem(reason, "mend that, or name another folder with --out")) from error


@contextmanager
def _removed_if_it_fails(folder: Path) -> Iterator[None]:
    """A folder that was not there before is removed if an error ends this."""
    was_there = folder.exists()
    try:
        yield
    except BaseException:
        if not was_there:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _write(entry: Entry, source: Source, sha256: str, target: Path, how: As) -> Adopted:
    if source.sha256 and source.sha256 != sha256:
        raise Problem(f"its files have the SHA-256 {sha256}, not {source.sha256}", "correct the registry, or ask why")
    if target.exists():
        raise Problem(f"{target}: there already", "remove it, or name another folder with --out")
    program = program_of(entry.dockerfile, entry.command) if how == "program" else None
    target.parent.mkdir(parents=True, exist_ok=True)
    copy_source(entry.folder, target / SOURCE)
    how_it_runs = _as_container(entry, target) if program is None else _as_program(entry, program, target)
    keys = {"title": printable(entry.title, 200), **how_it_runs, "ready_within_seconds": READY_WITHIN_SECONDS}
    head = comments([f"{entry.name} of {entry.board}: {source}", f"SHA-256 of its files: {sha256}", *entry.remarks])
    experiments = []
    for each in entry.examinations:
        workload = write_workload(each, target)
        file = target / f"{each.name}.fairtrial.toml"
        file.write_text("\n".join(head + _experiment(entry, each, workload.name, keys)) + "\n", encoding="utf-8")
        experiments.append(file)
    return Adopted(entry, sha256, experiments)


def _as_container(entry: Entry, target: Path) -> dict[str, Any]:
    dockerfile = target / SOURCE / "Dockerfile"
    dockerfile.unlink(missing_ok=True)  # a link would be followed
    dockerfile.write_text(entry.dockerfile, encoding="utf-8")
    command = {"command": ["sh", "-c", entry.command]} if entry.command else {}
    files = {path: f"../{place}" for path, place in _mounted(entry, target).items()}
    return {"dockerfile": SOURCE, **_reached(entry), **command, **({"files": files} if files else {})}


def _reached(entry: Entry) -> dict[str, Any]:
    """The way to a container: as a program in a network of the run's own where podman can, else by a published port.

    Raises:
        Problem: it needs a database, which no published container reaches.
    """
    if _shares_network():
        hosts = {"hosts": dict(entry.hosts)} if entry.hosts else {}
        return {"container_network": "host", "port": entry.port, "network": "own", **hosts}
    if any(each.service != "none" for each in entry.examinations):
        raise Problem(
            f"a container reaches {', '.join(entry.hosts)} only with podman, in a network of the run's own",
            "install podman and run as root, or adopt it with --as program",
        )
    return {"container_port": entry.port}


def _shares_network() -> bool:
    """Whether a container can be run in a network that the lab has made: docker's daemon knows only the machine's."""
    try:
        return container_program().is_podman and why_no_network_namespace() is None
    except Problem:
        return False


def _mounted(entry: Entry, target: Path) -> dict[str, str]:
    """The board's files, copied beside the entry: where each is found there, by the path at which the entry does."""
    for path, shared in entry.mounted.items():
        copy_source(shared, target / path.strip("/"))
    return {path: path.strip("/") for path in entry.mounted}


def _as_program(entry: Entry, program: Program, target: Path) -> dict[str, Any]:
    (target / "build.sh").write_text(program.build, encoding="utf-8")
    (target / "start.sh").write_text(program.start, encoding="utf-8")
    places = {place: f"{IMAGE}{place}" for place in program.places} | _mounted(entry, target)
    further = {"files": places, "hosts": dict(entry.hosts)}
    return {
        "folder": ".",
        "build": [["sh", "build.sh"]],
        "build_user": "own",
        "command": ["sh", "start.sh"],
        "port": entry.port,
        "network": "own",
        **{key: value for key, value in further.items() if value},
    }


def _usual() -> As:
    try:
        container_program()
    except Problem:
        return "program"
    return "container"


def _experiment(entry: Entry, examination: EntryExamination, workload: str, keys: Mapping[str, Any]) -> list[str]:
    lines = [
        "",
        f"name = {string(f'{entry.name}-{examination.name}')}",
        f"title = {string(printable(f'{entry.title} of {entry.board}', 200))}",
        f"workload = {string(workload)}",
        f"service = {string(examination.service)}",
        f"stacks = [{string(entry.name)}]",
        f"blocks = {BLOCKS}",
    ]
    if examination.service != "none":
        address = inline({"port": PORTS[examination.service], **LOGIN})
        lines += ["", f"[services.{examination.service}]", f"address = {address}"]
    return [
        *lines,
        "",
        *table_lines(["contenders", entry.name], keys),
        "",
        *table_lines(["load"], COUNTED if examination.writes else OPENED),
    ]
