"""The folder of a private server: made for one run, and removed with it, even after a lab that was killed."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "fairtrial-service-"
NOBODY = 65534
"""The user and group that own nothing on any Linux: user and group `nobody`, `nogroup` by another name."""


def is_root() -> bool:
    """Whether the lab runs as root, so that servers need another user."""
    return os.geteuid() == 0


def unprivileged(command: list[str]) -> list[str]:
    """The command as it is run: as `nobody` where the lab is root, else as the lab's own user."""
    if not is_root():
        return command
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--", *command]


def give_to_server(folder: Path) -> None:
    """Make a folder and all in it the server's own."""
    if is_root():
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(folder)], check=True)


@contextmanager
def run_folder(name: str) -> Iterator[Path]:
    """A new, empty folder that the server owns; removed at the end. Folders that a killed lab left are removed first.

    A lock beside the folder is held as long as its lab lives; a folder whose lock is free has no lab any more.
    """
    sweep()
    descriptor, lock = _held_lock(name)
    folder = lock.with_suffix("")
    try:
        folder.mkdir(mode=0o700)
        give_to_server(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _held_lock(name: str) -> tuple[int, Path]:
    """A new lock file, held. One that another lab swept away before it was held is made again."""
    while True:
        descriptor, path = tempfile.mkstemp(prefix=f"{PREFIX}{name}-", suffix=".lock")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(path)
        os.close(descriptor)


def sweep() -> list[Path]:
    """Remove the folders of labs that are gone, and nothing else. Returns what was removed."""
    removed = []
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*.lock"):
        with suppress(OSError), lock.open("rb") as held:
            if os.fstat(held.fileno()).st_uid != os.geteuid():
                continue
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            folder = lock.with_suffix("")
            if folder.exists():
                shutil.rmtree(folder)
                removed.append(folder)
            lock.unlink()
    return removed
