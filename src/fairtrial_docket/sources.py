"""The sources of the site in a folder: records, and the published data of boards."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import Literal

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.record.read import COMPRESSED
from fairtrial.record.write import RECORD_FILE

OF_REPORTS = {"result.json", "docket.json"}


@dataclass(frozen=True)
class DocketSource:
    """A file that may become pages."""

    kind: Literal["record", "data"]
    file: Path
    name: str
    """its path below the folder that was given; with a number where another of its kind has the same, so that it tells
    it from all others"""


def find_sources(folders: Sequence[Path], out: Path) -> list[DocketSource]:
    """The records and the JSON files in these folders, but for those below `out`, in the order of their names.

    Raises:
        Problem: a place is no folder, or there is no such file in any.
    """
    by_file: dict[Path, DocketSource] = {}
    for folder in folders:
        if not folder.is_dir():
            raise Problem(f"{printable(str(folder))} is no folder", "name a folder of results or of boards' data")
        for source in _below(folder, out.resolve()):
            by_file.setdefault(source.file.resolve(), source)
    if not by_file:
        raise Problem(
            f"{', '.join(printable(str(each)) for each in folders)}: no {RECORD_FILE}, no .jsonl.xz and no .json",
            "name a folder of results that `fairtrial run` wrote, or of data that a board published",
        )
    return sorted(_told_apart(by_file.values()), key=lambda source: source.name)


def _told_apart(sources: Iterable[DocketSource]) -> Iterator[DocketSource]:
    """The sources, a later one of the same kind and name as `NAME-2`, `NAME-3` and so on."""
    names_so_far: set[tuple[str, str]] = set()
    for source in sources:
        names = chain([source.name], (f"{source.name}-{number}" for number in count(2)))
        name = next(each for each in names if (source.kind, each) not in names_so_far)
        names_so_far.add((source.kind, name))
        yield replace(source, name=name)


def _below(folder: Path, out: Path) -> Iterator[DocketSource]:
    for file in sorted(folder.rglob("*.json*")):
        if out in file.resolve().parents or not file.is_file():
            continue
        relative = file.relative_to(folder)
        name = str(relative.parent if file.name == RECORD_FILE and relative.parent.name else relative)
        if file.name == RECORD_FILE:
            yield DocketSource("record", file, name if relative.parent.name else folder.resolve().name)
        elif file.name.endswith(f".jsonl{COMPRESSED}"):
            yield DocketSource("record", file, name.removesuffix(f".jsonl{COMPRESSED}"))
        elif file.suffix == ".json" and file.name not in OF_REPORTS and not (file.parent / RECORD_FILE).exists():
            yield DocketSource("data", file, name.removesuffix(".json"))
