"""The shared memory of a server that was killed: the kernel keeps it until somebody removes it."""

import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

POSIX = "/dev/shm/"  # noqa: S108
SYSTEM_V = "/SYSV"


@dataclass(frozen=True)
class SharedMemory:
    """The shared memory that a process has mapped: files in /dev/shm, and System V segments by their ids."""

    files: Sequence[Path] = ()
    segments: Sequence[str] = ()

    def remove(self) -> None:
        """Remove what the server left; call it when the server has ended."""
        for file in self.files:
            with suppress(OSError):
                file.unlink()
        for segment in self.segments:
            if _is_unused(segment):
                subprocess.run(["ipcrm", "--shmem-id", segment], capture_output=True, check=False)


def shared_memory_of(pid: int) -> SharedMemory:
    """The shared memory that a process has mapped now; empty if the lab may not see it."""
    with suppress(OSError):
        # address, permissions, offset, device, inode (of a System V segment: its id), path
        maps = [line.split(maxsplit=5) for line in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines()]
        mappings = {(fields[5], fields[4]) for fields in maps if len(fields) == 6}
        return SharedMemory(
            files=[Path(path) for path, _ in mappings if path.startswith(POSIX) and not path.endswith(" (deleted)")],
            segments=[inode for path, inode in mappings if path.startswith(SYSTEM_V)],
        )
    return SharedMemory()


def _is_unused(segment: str) -> bool:
    """Whether the segment exists and no process has it attached."""
    with suppress(OSError):
        lines = [line.split() for line in Path("/proc/sysvipc/shm").read_text(encoding="utf-8").splitlines()]
        attached = lines[0].index("nattch")
        return any(line[1] == segment and line[attached] == "0" for line in lines[1:])
    return False
