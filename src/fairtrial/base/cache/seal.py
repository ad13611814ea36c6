"""The seal of a made folder: which files it was made of, so that one that was damaged or changed is not used.

A change is noticed by a file's size, times and mode, without reading it: the kernel sets the time of the last change
(st_ctime, stat(2)), and nobody else can. Only a file of which one of these differs is read, so that a cache that was
copied elsewhere is still good. Files that came later are none of the seal's: programs leave some when they run.
"""

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fairtrial.base.c_library import call

SEAL = ".complete"
VERSION = 1
SYNCED_ONE_BY_ONE = 100
"""So many files at most."""

State = list[Any]
"""A file by its size in bytes, st_mtime and st_ctime in nanoseconds, and st_mode."""


def seal(folder: Path) -> None:
    """Say that the folder is complete, once all that it holds is on the disk.

    Raises:
        OSError: it cannot be read or written.
    """
    files = list(_files(folder))
    _sync(folder, [path for _, path in files])
    _write(folder, _states(files))


def is_sealed(folder: Path) -> bool:
    """Whether the folder was made to its end."""
    return (folder / SEAL).exists()


def damage(folder: Path) -> str | None:
    """The damage of a sealed folder, such as `app: 0 bytes instead of 1,234`; None if it is as it was made.

    The seal of an older version names no files: they are taken as they are, and sealed.
    """
    try:
        text = (folder / SEAL).read_bytes()
        sealed = json.loads(text)["files"] if text else None
    except (OSError, ValueError, KeyError, TypeError):
        return f"{SEAL} cannot be read"
    if sealed is None:
        with suppress(OSError):
            _write(folder, _states(_files(folder)))
        return None
    touched = False
    for name, entry in sealed.items():
        path = folder / name
        try:
            state = _state(path)
            if state == entry[:-1]:
                continue
            if state[0] != entry[0]:
                return f"{name}: {state[0]:,} bytes instead of {entry[0]:,}"
            if state[-1] != entry[-2] or _digest(path) != entry[-1]:
                return f"{name}: it has changed"
        except OSError as error:
            return f"{name}: {error.strerror}"
        entry[:-1] = state
        touched = True
    if touched:
        with suppress(OSError):  # a cache may be read-only
            _write(folder, sealed)
    return None


def _files(folder: Path, below: str = "") -> Iterator[tuple[str, Path]]:
    """Every file and symbolic link below the folder, with its name from there, in a fixed order."""
    with os.scandir(folder / below) as entries:
        sorted_entries = sorted(entries, key=lambda entry: entry.name)
    for entry in sorted_entries:
        name = f"{below}/{entry.name}" if below else entry.name
        if entry.is_dir(follow_symlinks=False):
            yield from _files(folder, name)
        elif (entry.is_file(follow_symlinks=False) or entry.is_symlink()) and not _is_seal(name):
            yield name, folder / name


def _is_seal(name: str) -> bool:
    """Whether it is the seal, or named as one that is being written."""
    return f"{name}.".startswith(f"{SEAL}.")


def _states(files: Iterable[tuple[str, Path]]) -> dict[str, State]:
    return {name: [*_state(path), _digest(path)] for name, path in files}


def _state(path: Path) -> State:
    state = path.lstat()
    return [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_mode]


def _digest(path: Path) -> str:
    """SHA-256, as hex, of a file's bytes, or of the path that a symbolic link holds."""
    if stat.S_ISLNK(path.lstat().st_mode):
        return hashlib.sha256(os.fsencode(os.readlink(path))).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(folder: Path, files: dict[str, State]) -> None:
    """Write the seal in one step, and wait until it is on the disk."""
    temporary = folder / f"{SEAL}.{os.getpid()}"
    try:
        temporary.unlink(missing_ok=True)
        # Anew: what was built may have put a link there.
        with temporary.open("x", encoding="ascii") as file:
            json.dump({"version": VERSION, "files": files}, file, separators=(",", ":"))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / SEAL)
    finally:
        temporary.unlink(missing_ok=True)
    with _opened(folder) as descriptor:
        os.fsync(descriptor)


def _sync(folder: Path, files: Sequence[Path]) -> None:
    """Wait until the folder is on the disk: file by file, or by syncfs(2), which is one call for a thousand files.

    That one also waits for what others have written to the same file system.
    """
    if len(files) > SYNCED_ONE_BY_ONE:
        with _opened(folder) as descriptor:
            call("syncfs", descriptor)
        return
    for path in [path for path in files if not path.is_symlink()]:
        with path.open("rb") as file:
            os.fsync(file.fileno())
    for above in {folder, *(path.parent for path in files)}:
        with _opened(above) as descriptor:
            os.fsync(descriptor)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """A folder's descriptor, closed at the end."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
