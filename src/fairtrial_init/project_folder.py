"""The folder of a service, as far as it is looked at: few files, none of them large, and none outside of it."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fairtrial.base.cache.digest import BUILT, is_made

LARGEST_FILE_BYTES = 256 << 10
MOST_NAMES = 5_000
MOST_SOURCES = 200
DEEPEST = 10
"""Folders: `src/main/java/com/example/shop/web` is the eighth; whoever keeps a server deeper says how it is started."""
NOT_THE_SERVICE = frozenset({"test", "tests", "spec", "testdata", "vendor", "dist", "docs", "examples"})
"""Names of folders whose sources are not looked at: they hold servers that are not the service."""


@dataclass(frozen=True)
class ProjectFolder:
    """The part of a service's folder that is looked at."""

    path: Path

    def has(self, name: str) -> bool:
        """Whether there is a file of this path, relative to the folder."""
        return (self.path / name).is_file()

    def text(self, name: str) -> str:
        """A file's text, or its first 256 KiB; empty if it cannot be read."""
        file = self.path / name
        try:
            if not file.is_file():
                return ""
            with file.open("rb") as opened:
                return opened.read(LARGEST_FILE_BYTES).decode(errors="replace")
        except OSError:
            return ""

    def sources(self, *endings: str) -> dict[str, str]:
        """The texts of 200 files with these endings (`.py`), by their path; those nearest to the folder first."""
        names = (name for name in self.names if name.endswith(endings) and not _is_aside(name))
        return {name: self.text(name) for name in itertools.islice(names, MOST_SOURCES)}

    @cached_property
    def names(self) -> list[str]:
        """The paths of its files, relative to it: 5,000 at most, those nearest to the folder first."""
        return list(itertools.islice(self._files(), MOST_NAMES))

    def _files(self) -> Iterator[str]:
        folders = [self.path]
        for _ in range(DEEPEST):
            below: list[Path] = []
            for folder in folders:
                for path in _entries(folder):
                    if path.is_symlink() or path.name.startswith(".") or path.name in BUILT:
                        continue
                    if path.is_dir():
                        below += [] if is_made(path) else [path]
                    elif path.is_file():
                        yield str(path.relative_to(self.path))
            folders = below


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _is_aside(name: str) -> bool:
    return not NOT_THE_SERVICE.isdisjoint(name.split("/")[:-1])
