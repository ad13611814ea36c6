"""The folder of a private server: made for one run and removed with it; the next lab removes what a killed one left."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from fairtrial.base.regular_file import open_regular

PREFIX = "fairtrial-service-"
NOBODY = 65534
"""The number of the user `nobody` and the group `nogroup` on any Linux: they own nothing."""


ROOTS_RIGHTS = {"CHOWN": 0, "DAC_OVERRIDE": 1, "FOWNER": 3, "KILL": 5, "SETGID": 6, "SETUID": 7}
"""What it takes to run a server as another user, to read and remove its files and to end it: the numbers of
capabilities in linux/capability.h."""


def is_root() -> bool:
    """Whether the lab runs as root, with root's rights: servers then run as another user."""
    return not why_not_root()


@cache
def why_not_root() -> str:
    """Why the lab can run nothing as another user, in words; empty if it can."""
    if os.geteuid() != 0:
        return "the lab is not root"
    effective = _effective_capabilities()
    missing = [name for name, number in ROOTS_RIGHTS.items() if not effective >> number & 1]
    return f"the lab is root without {', '.join(f'CAP_{name}' for name in missing)}" if missing else ""


def _effective_capabilities() -> int:
    """This process's, as bits (proc(5)); all of them where the kernel does not say."""
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace").splitlines()
        return int(next(line for line in lines if line.startswith("CapEff:")).split()[1], 16)
    return -1


def unprivileged(command: list[str]) -> list[str]:
    """The command that runs this one without privileges: as `nobody` if the lab is root, else as the lab's own user."""
    if not is_root():
        return command
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--", *command]


def give_to_server(folder: Path) -> None:
    """Make the server's user the owner of a folder and of everything in it."""
    if is_root():
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(folder)], check=True)


def write_secret(file: Path, text: str) -> None:
    """Write a file that the server's user alone can read, and root."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.write(text)
    give_to_server(file)


@contextmanager
def run_folder(name: str) -> Iterator[Path]:
    """A new, empty folder owned by the server's user, removed at the end. Folders of killed labs are removed first.

    The lab holds a lock beside the folder as long as it lives: if the lock is free, the lab is gone.
    """
    sweep()
    descriptor, lock = _new_lock(name)
    folder = lock.with_suffix("")
    try:
        folder.mkdir(mode=0o700)
        give_to_server(folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _new_lock(name: str) -> tuple[int, Path]:
    """A new lock file, locked: its descriptor and path. If another lab swept it away before that, a new one is made."""
    while True:
        descriptor, path = tempfile.mkstemp(prefix=f"{PREFIX}{name}-", suffix=".lock")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(path)
        os.close(descriptor)


def sweep() -> list[Path]:
    """Remove the folders of labs that are gone, and nothing else; returns the folders that were removed."""
    removed = []
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*.lock"):
        # Other users may put anything of this name into a shared folder.
        with suppress(OSError), open_regular(lock, follow_links=False, owner=os.geteuid()) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            folder = lock.with_suffix("")
            if folder.exists():
                shutil.rmtree(folder)
                removed.append(folder)
            lock.unlink()
    return removed
