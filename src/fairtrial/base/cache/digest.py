"""Digests of folders: the keys of built things in the cache."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

BUILT = frozenset({".git", ".venv", "__pycache__", "node_modules", ".mypy_cache", ".ruff_cache", ".pytest_cache"})
"""Names of folders that builds and tools create. They are never copied and never part of a digest."""

BUILT_BESIDE = {"target": ("Cargo.toml", "pom.xml")}
"""Names of folders that builds create beside one of these files; elsewhere, such a folder can be source."""

MADE_WITH = ("pyvenv.cfg", "record.jsonl")
"""Files by which a folder of any name is known as made: a Python environment, and the results of a run."""

TRIED_BY = ("fairtrial.toml", ".workload.toml", ".served.openapi.json")
"""Endings of files that say how a program is tried, and are no part of it: a change of theirs builds nothing anew."""


def source_files(folder: Path) -> Iterator[Path]:
    """The files below `folder` in a fixed order, without build folders and symbolic links to folders."""
    for path in sorted(folder.iterdir()):
        if path.name in BUILT or any((folder / file).exists() for file in BUILT_BESIDE.get(path.name, ())):
            continue
        if path.is_dir() and not path.is_symlink():
            if not is_made(path):
                yield from source_files(path)
        elif path.is_file() and not path.name.endswith(TRIED_BY):
            yield path


def is_made(path: Path) -> bool:
    """Whether this is a folder that a tool made, by what it holds: a Python environment, or the results of a run."""
    return any((path / file).is_file() for file in MADE_WITH)


def folder_sha256(folder: Path, *extra: object) -> str:
    """SHA-256, as hex, over every source file's name, mode and bytes, and over `extra` as JSON."""
    digest = hashlib.sha256(json.dumps(extra, sort_keys=True).encode())
    for path in source_files(folder):
        content = path.read_bytes()
        executable = path.stat().st_mode & 0o111 != 0
        name = os.fsencode(path.relative_to(folder))  # as the file system has it, in any locale
        digest.update(b"\0%b\0%b\0%d\0" % (name, str(executable).encode(), len(content)))
        digest.update(content)
    return digest.hexdigest()
