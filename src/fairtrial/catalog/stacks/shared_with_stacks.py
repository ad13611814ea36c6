"""Shared with stacks that run as users of their own: files of a database, and the task barrier."""

import os
import secrets
import stat
from functools import cache
from pathlib import Path

from fairtrial.catalog.services.common.folder import PREFIX, is_root

FIRST_ID, IDS = 1_900_000_000, 100_000_000
"""Numbers of users and groups that nobody has: between those that systemd gives to containers and the end of what is a
signed number (systemd.io/UIDS-GIDS)."""

MOST_DEEP = 8


@cache
def stacks_group() -> int:
    """The number of the group of all stacks of this lab, to which it gives what they may share with it."""
    return FIRST_ID + secrets.randbelow(IDS)


def share_with_stacks(folder: Path, *, writable: bool = False) -> None:
    """Let the users of stacks, and nobody else, find what a folder of the lab holds.

    It does nothing where the lab is not root. Stacks may have put links there: none is followed.

    Args:
        writable: let them change what lies in its folders, too, but put nothing beside these.
    """
    if not is_root():
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _give(descriptor, 0o710)
        _share(descriptor, writable=writable, deep=0)
    finally:
        os.close(descriptor)


def share_embedded(url: str) -> None:
    """Let the users of stacks use the database at this URL, if it is a file that the lab made for this run."""
    folder = Path(url.removeprefix("sqlite:///")).parent.parent
    if url.startswith("sqlite:///") and folder.name.startswith(PREFIX):
        share_with_stacks(folder, writable=True)


def _share(folder: int, *, writable: bool, deep: int) -> None:
    for name in os.listdir(_path_of(folder)):
        try:
            # Of a socket there is nothing to be opened but its name.
            entry = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        except FileNotFoundError:
            continue
        try:
            about = os.fstat(entry)
            if stat.S_ISDIR(about.st_mode):
                # What is made there belongs to the group, too.
                _give(entry, 0o2770 if writable else 0o710)
                if deep < MOST_DEEP:
                    _share(entry, writable=writable, deep=deep + 1)
            elif (stat.S_ISREG(about.st_mode) or stat.S_ISSOCK(about.st_mode)) and about.st_nlink == 1:
                _give(entry, 0o660)
        finally:
            os.close(entry)


def _give(descriptor: int, mode: int) -> None:
    """Give what is open to the group of stacks."""
    path = _path_of(descriptor)
    os.chown(path, -1, stacks_group())
    path.chmod(mode)


def _path_of(descriptor: int) -> Path:
    """The way to what is open by O_PATH, which leads past no link: by the descriptor alone the kernel refuses most."""
    return Path(f"/proc/self/fd/{descriptor}")
