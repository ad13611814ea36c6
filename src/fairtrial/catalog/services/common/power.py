"""A disk of a private server's own, whose power can be cut: what was not synced by then is gone.

The disk is an ext4 file system in a file, which only the lab finds mounted. Cut off by the kernel's own means for such
trials (EXT4_IOC_SHUTDOWN), it writes nothing any more, neither data nor journal. Mounted again, it holds what had been
synced. The caches of a real disk are not in it: a disk that acknowledges before it stores loses more.
"""

import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread

from fairtrial.base.mount_namespace import mount_namespace
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.folder import run_folder, why_not_root

SHUTDOWN = 0x8004587D
"""EXT4_IOC_SHUTDOWN, that is _IOR('X', 125, __u32): fs/ext4/ext4.h of Linux 4.20 and newer."""

WITHOUT_JOURNAL = struct.pack("I", 2)
"""EXT4_GOING_FLAGS_NOLOGFLUSH (in the same file): not even the journal is written out."""

MAKE = "mkfs.ext4"
SMALL_BYTES = 16 << 20
"""Enough for ext4 with a journal."""

WITHIN_SECONDS = 60.0
REMEDY = "see `fairtrial doctor`; without power cuts, the database is only killed"


@dataclass(frozen=True)
class Disk:
    """A disk, while there is power.

    All methods raise Problem: the kernel refuses, or takes over a minute.
    """

    image: Path
    """the file in which it is"""
    folder: Path
    """where it is mounted"""

    def sync(self) -> None:
        """Write out all that was written to it."""
        _run("sync", "--file-system", str(self.folder))

    def cut_power(self) -> None:
        """Lose whatever was not synced. Nothing can be read or written any more."""
        try:
            descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.ioctl(descriptor, SHUTDOWN, WITHOUT_JOURNAL)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise Problem(f"the power of {self.folder} cannot be cut: {error}", REMEDY) from error

    def power_on(self) -> None:
        """Mount it again. Nobody may have a file on it open."""
        _run("umount", str(self.folder))
        self.mount()

    def mount(self) -> None:
        """Mount it for the first time."""
        _run("mount", "-t", "ext4", "-o", "loop,nosuid,nodev,noatime", str(self.image), str(self.folder))

    def remove(self) -> None:
        """Unmount it, if it is mounted, and delete its image."""
        if self.folder.is_mount():
            # Lazily: a process that still has its working folder on the disk does not prevent that.
            _run("umount", "--lazy", str(self.folder))
        self.image.unlink(missing_ok=True)


@contextmanager
def disk(folder: Path, image: Path, size_bytes: int) -> Iterator[Disk]:
    """A new disk, mounted at `folder` for the calling thread and what it starts within. Nothing of it is left.

    Args:
        folder: empty, or missing.
        image: the file to be made; it takes the space that is written, not `size_bytes`.

    Raises:
        Problem: it cannot be made: `why_no_power_cut`.
    """
    new_disk = Disk(image, folder)
    with ExitStack() as undone:
        try:
            undone.enter_context(mount_namespace())
            undone.callback(new_disk.remove)
            folder.mkdir(exist_ok=True)
            with image.open("wb") as file:
                file.truncate(size_bytes)
            _run(MAKE, "-q", "-F", "-m", "0", str(image))
            new_disk.mount()
            (folder / "lost+found").rmdir()  # to some databases each folder is a schema
        except OSError as error:
            raise Problem(f"a disk of its own in {folder.parent}: {error}", REMEDY) from error
        yield new_disk


@cache
def why_no_power_cut() -> str:
    """Why the lab cannot try a power cut here, in words; empty if it can. Tried once, on a small disk."""
    if reason := why_not_root():
        return reason
    if shutil.which(MAKE) is None:
        return f"there is no {MAKE} (Debian: apt install e2fsprogs)"
    reasons: list[str] = []

    def attempt() -> None:
        try:
            reasons.append(_what_a_cut_leaves())
        except Problem as problem:
            reasons.append(printable(problem.reason, 300))

    # A thread: should no way lead back to the machine's mounts, it ends with its own.
    thread = Thread(target=attempt, name="power")
    thread.start()
    thread.join()
    return reasons[0] if reasons else "it could not be tried"


def _what_a_cut_leaves() -> str:
    """The fault of a cut, as tried on two files; empty: the synced one is there, the other is not."""
    with run_folder("power") as place, disk(place / "disk", place / "disk.image", SMALL_BYTES) as small_disk:
        synced, other = small_disk.folder / "synced", small_disk.folder / "other"
        synced.write_bytes(b"1")
        small_disk.sync()
        other.write_bytes(b"2")
        small_disk.cut_power()
        small_disk.power_on()
        if not synced.exists() or synced.read_bytes() != b"1":
            return "the kernel loses what was synced"
        return "the kernel keeps what was not synced" if other.exists() and other.read_bytes() else ""


def _run(*command: str) -> None:
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise Problem(f"{command[0]} did not end within {WITHIN_SECONDS:.0f} s", REMEDY) from error
    if process.returncode != 0:
        raise Problem(
            f"{Path(command[0]).name} ended with status {process.returncode}: {process.stderr.strip()}", REMEDY
        )
