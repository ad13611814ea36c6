"""The memory of a process tree: what its processes share counts once, and what they hold without mapping it counts.

A process's proportional set size (Pss in /proc/PID/smaps_rollup, proc_pid_smaps(5)) is its own pages, and of each page
that n processes map the nth part: the sum over a tree counts each of its pages once. Files that are only read are in it
as far as they are mapped; the page cache is not.

Memory in a file without a disk (memfd_create(2), shm_overview(7), shmget(2)) exists whether or not anybody maps it. So
of each such file that a process of the tree has open, has mapped or has made, what is not in a Pss is added.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fairtrial.record.processes import MemoryKind

BLOCK_BYTES = 512
"""The unit of st_blocks (inode(7))."""
SHARED_FOLDER = "/dev/shm/"  # noqa: S108 (where POSIX has shared memory: shm_overview(7))
MAPPING = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ ([0-9a-f]+):([0-9a-f]+) (\d+)\s*(.*)$")
"""A mapping's first line in maps and smaps: addresses, permissions, offset, device, inode, path."""

File = tuple[int, int]
"""Device and inode."""


@dataclass(frozen=True)
class MemoryReading:
    """The memory of a process tree at one moment."""

    total_bytes: int
    kind: MemoryKind


def memory_of(pids: Iterable[int]) -> MemoryReading:
    """The memory of these processes together. Those that have ended hold none.

    A process whose maps the lab may not read, as it is another user's, counts with its resident set size, in which
    shared pages count again: then the kind is `resident`.
    """
    total_bytes, kind = 0, MemoryKind.PROPORTIONAL
    held_bytes: dict[File, int] = {}
    mapped_bytes: Counter[File] = Counter()
    living = set(pids)
    for pid in living:
        try:
            mappings = list(_mapped_memory_files(pid))
            for file, each in (*mappings, *_open_memory_files(pid)):
                held_bytes[file] = max(held_bytes.get(file, 0), each)
            # What each mapping holds takes longer to read than their sum, and matters to few.
            text = _text(Path(f"/proc/{pid}/{'smaps' if mappings else 'smaps_rollup'}"))
        except PermissionError:
            total_bytes, kind = total_bytes + process_sizes(pid).resident, MemoryKind.RESIDENT
            continue
        except FileNotFoundError:
            if Path(f"/proc/{pid}").exists():  # a kernel without smaps_rollup
                total_bytes, kind = total_bytes + process_sizes(pid).resident, MemoryKind.RESIDENT
            continue
        except OSError:  # it ended meanwhile
            continue
        for mapped_file, pss_bytes in _proportional_bytes(text):
            total_bytes += pss_bytes
            if mapped_file is not None:
                mapped_bytes[mapped_file] += pss_bytes
    held_bytes |= dict(_segments_of(living))
    return MemoryReading(
        total_bytes + sum(max(0, each - mapped_bytes[file]) for file, each in held_bytes.items()), kind
    )


class ProcessSizes(NamedTuple):
    """A process, in bytes (proc_pid_status(5)); zeros if it has ended."""

    resident: int
    """VmRSS"""
    most_resident: int
    """VmHWM"""
    most_virtual: int
    """VmPeak, of its address space"""


def process_sizes(pid: int) -> ProcessSizes:
    """The sizes of a process now, and the largest since it began."""
    sizes = {"VmRSS": 0, "VmHWM": 0, "VmPeak": 0}
    with suppress(OSError):
        for line in _text(Path(f"/proc/{pid}/status")).splitlines():
            name, _, value = line.partition(":")
            if name in sizes:
                sizes[name] = 1024 * int(value.split()[0])
    return ProcessSizes(sizes["VmRSS"], sizes["VmHWM"], sizes["VmPeak"])


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _proportional_bytes(text: str) -> Iterator[tuple[File | None, int]]:
    """The Pss of each mapping in smaps, with its file; of smaps_rollup, of all together."""
    file = None
    for line in text.splitlines():
        if line.startswith("Pss:"):
            yield file, 1024 * int(line.split()[1])
        elif mapping := MAPPING.match(line):
            file = _file_of(mapping)


def _file_of(mapping: re.Match[str]) -> File:
    return os.makedev(int(mapping[3], 16), int(mapping[4], 16)), int(mapping[5])


def _mapped_memory_files(pid: int) -> Iterator[tuple[File, int]]:
    """Files without a disk that a process has mapped, with the bytes that each holds, as far as the lab may look."""
    folder = Path(f"/proc/{pid}")
    for line in _text(folder / "maps").splitlines():
        mapping = MAPPING.match(line) if "/" in line else None
        if mapping is None or not _is_memory(_file_of(mapping)[0], mapping[6]):
            continue
        held_bytes = 0
        with suppress(OSError):  # to look at the file of a mapping takes a right that plain users lack
            held_bytes = os.stat(folder / "map_files" / f"{mapping[1]}-{mapping[2]}").st_blocks * BLOCK_BYTES
        yield _file_of(mapping), held_bytes


def _open_memory_files(pid: int) -> Iterator[tuple[File, int]]:
    """Files without a disk that a process has open, with the bytes that each holds."""
    with os.scandir(f"/proc/{pid}/fd") as entries:
        for entry in entries:
            with suppress(OSError):  # it was closed meanwhile
                path = os.readlink(entry.path)
                if path.startswith("/"):
                    status = os.stat(entry.path)
                    if _is_memory(status.st_dev, path):
                        yield (status.st_dev, status.st_ino), status.st_blocks * BLOCK_BYTES


def _segments_of(pids: set[int]) -> Iterator[tuple[File, int]]:
    """Segments of System V shared memory that one of these processes made, with the bytes that each holds."""
    with suppress(OSError, ValueError, IndexError):
        names, *lines = (line.split() for line in _text(Path("/proc/sysvipc/shm")).splitlines())
        for line in lines:
            segment = dict(zip(names, map(int, line), strict=True))
            if segment["cpid"] in pids:
                yield (_memory_device(), segment["shmid"]), segment["rss"]


def _is_memory(device: int, path: str) -> bool:
    """Whether a file is memory alone: of no file system that is mounted, in /dev/shm, or without a name on a tmpfs.

    A file with a name on a tmpfs elsewhere may be anybody's: the program, or the data of the database.
    """
    if device == _memory_device() or path.startswith(SHARED_FOLDER):
        return True
    return path.endswith(" (deleted)") and device in _memory_file_systems()


@cache
def _memory_device() -> int:
    """The device of files that memfd_create and shmget make."""
    descriptor = os.memfd_create("fairtrial")
    try:
        return os.fstat(descriptor).st_dev
    finally:
        os.close(descriptor)


@cache
def _memory_file_systems() -> frozenset[int]:
    """The devices of all tmpfs that the lab sees (proc_pid_mountinfo(5))."""
    devices = set()
    with suppress(OSError):
        for line in _text(Path("/proc/self/mountinfo")).splitlines():
            fields, _, kind = line.partition(" - ")
            if kind.split()[0] == "tmpfs":
                major, minor = fields.split()[2].split(":")
                devices.add(os.makedev(int(major), int(minor)))
    return frozenset(devices)
