"""Folders of the cache that are made once, even if several processes ask for one at the same time."""

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

from fairtrial.base.locations import cache_folder
from fairtrial.base.problem import Problem

COMPLETE = ".complete"


def made_once(kind: str, name: str, sha256: str, make: Callable[[Path], None]) -> Path:
    """The folder `kind/name-SHA` in the cache, filled by `make(folder)` unless it is complete already.

    `make` gets the final path (virtual environments cannot be moved). If it raises, the folder is removed. A folder
    that an earlier process left half-made is made again.

    Raises:
        Problem: the cache cannot be written.
    """
    folder = _path(kind, name, sha256)
    if (folder / COMPLETE).exists():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = folder.with_name(f"{folder.name}.lock").open("w")
    except OSError as error:
        raise Problem(
            f"the cache {folder.parent} cannot be written: {error.strerror}",
            "free space there or make it writable, or set FAIRTRIAL_CACHE to another folder",
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / COMPLETE).exists():
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir()
            make(folder)
            (folder / COMPLETE).touch()
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise Problem(
                    f"{kind} {name} cannot be stored in {folder.parent}: {error.strerror or error}",
                    "free space there, or set FAIRTRIAL_CACHE to another folder",
                ) from error
            raise
    return folder


def kept(kind: str, name: str, sha256: str) -> Path | None:
    """The folder that `made_once` made for these arguments; None if there is none."""
    folder = _path(kind, name, sha256)
    return folder if (folder / COMPLETE).exists() else None


def _path(kind: str, name: str, sha256: str) -> Path:
    return cache_folder() / kind / f"{name}-{sha256[:16]}"
