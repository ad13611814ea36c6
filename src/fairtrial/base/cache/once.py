"""Making a folder once, however many threads and processes ask for it. A half-made folder is never returned."""

import fcntl
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from fairtrial.base.cache.seal import damage, is_sealed, seal
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.locations import cache_folder
from fairtrial.base.problem import OF_THE_DISK, Problem

RETRY_LOCK_AFTER_SECONDS = 0.1

_found_good: set[Path] = set()
"""Folders that were looked at: once in the life of this process."""


class CacheNotWritable(Problem):
    """Nothing can be kept in the cache: whatever is to be made there fails alike."""


def made_once(
    kind: str, name: str, sha256: str, make: Callable[[Path], None], *, while_waiting: Callable[[], None] | None = None
) -> Path:
    """Return the folder `kind/name-SHA` in the cache, filled by `make(folder)` if it is not there yet.

    `make` gets the final path (virtual environments cannot be moved). If it raises, the folder is removed.
    A folder whose making was cut off is made again, and so is one in which a file was damaged or changed since: files
    are looked at once in the life of a process (`seal`). Threads and processes that ask for the same folder wait for
    the first of them.

    Args:
        while_waiting: called every 0.1 s while somebody else makes the folder; what it raises ends the wait.

    Raises:
        CacheNotWritable: the folder is to be made, and the cache cannot be written.
    """
    folder = _path(kind, name, sha256)
    if _is_good(folder):
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = folder.with_name(f"{folder.name}.lock").open("w")
    except OSError as error:
        raise CacheNotWritable(
            f"the cache {folder.parent} cannot be written: {error.strerror}",
            "free space there or make it writable, or set FAIRTRIAL_CACHE to another folder",
            NOTHING_RAN,
        ) from error
    with lock:
        _acquire(lock, while_waiting)
        if not _is_good(folder):
            _fill(folder, name, make)
    return folder


def find_made(kind: str, name: str, sha256: str) -> Path | None:
    """Return the folder that `made_once` made with these arguments, or None if it has not been made, or is damaged."""
    folder = _path(kind, name, sha256)
    return folder if _is_good(folder) else None


def damage_of(kind: str, name: str, sha256: str) -> str | None:
    """The damage of the folder that `made_once` made with these arguments; None if it has none, or is not made."""
    folder = _path(kind, name, sha256)
    return damage(folder) if _is_made(folder) else None


def _is_good(folder: Path) -> bool:
    """Whether the folder was made to its end, and is still as it was made."""
    if not _is_made(folder):
        return False
    if folder not in _found_good:
        if damage(folder) is not None:
            return False
        _found_good.add(folder)
    return True


def _is_made(folder: Path) -> bool:
    """Whether the folder is sealed and nobody makes it now: what is built in it may write a seal of its own before."""
    return is_sealed(folder) and not _unfinished(folder).exists()


def _unfinished(folder: Path) -> Path:
    """The file beside a folder that is there while the folder is made."""
    return folder.with_name(f"{folder.name}.unfinished")


def _path(kind: str, name: str, sha256: str) -> Path:
    return cache_folder() / kind / f"{name}-{sha256[:16]}"


def _acquire(lock: TextIO, while_waiting: Callable[[], None] | None) -> None:
    """Lock the open file. Each call of `made_once` has a file description of its own, so threads exclude each other."""
    if while_waiting is None:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            while_waiting()
            time.sleep(RETRY_LOCK_AFTER_SECONDS)
        else:
            return


def _fill(folder: Path, name: str, make: Callable[[Path], None]) -> None:
    """Make the folder anew and seal it, or remove it."""
    unfinished = _unfinished(folder)
    try:
        unfinished.touch()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        make(folder)
        seal(folder)
        unfinished.unlink()
        _found_good.add(folder)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError):
            kind = CacheNotWritable if error.errno in OF_THE_DISK else Problem
            raise kind(
                f"{name} could not be kept in {folder.parent}: {error.strerror or error}",
                "free space there, or set FAIRTRIAL_CACHE to another folder",
                NOTHING_RAN,
            ) from error
        raise
