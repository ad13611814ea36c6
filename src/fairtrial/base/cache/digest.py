"""Digests of folders: what is built from a folder is cached under them."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

LEFT_OUT = frozenset({".git", ".venv", "__pycache__", "node_modules", ".mypy_cache", ".ruff_cache", ".pytest_cache"})
"""Folders that builds make. They are never copied and never part of a digest."""

BUILT_BESIDE = {"target": ("Cargo.toml", "pom.xml")}
"""Folders that builds make beside one of these files. Elsewhere a folder of that name is source."""


def source_files(folder: Path) -> Iterator[Path]:
    """Yield the files below `folder` in a fixed order, without build output and without symbolic links to folders."""
    for path in sorted(folder.iterdir()):
        if path.name in LEFT_OUT or any((folder / by).exists() for by in BUILT_BESIDE.get(path.name, ())):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from source_files(path)
        elif path.is_file():
            yield path


def folder_sha256(folder: Path, *further: object) -> str:
    """Return the SHA-256, as hex, of every source file's name, mode and bytes, and of `further` as JSON."""
    digest = hashlib.sha256(json.dumps(further, sort_keys=True).encode())
    for path in source_files(folder):
        content = path.read_bytes()
        executable = path.stat().st_mode & 0o111 != 0
        digest.update(f"\0{path.relative_to(folder)}\0{executable}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
