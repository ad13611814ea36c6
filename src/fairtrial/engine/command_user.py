"""A user of a command's own, as the guard is told of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CommandUser:
    """Who a command is instead of root, and what it finds of folders that are not for everybody."""

    uid: int
    gid: int
    """its only group"""
    most_processes: int | None = None
    """threads and processes that it may have at once; None: as many as the lab"""
    opened: Sequence[Path] = ()
    """folders that only their owner may enter, outer ones first: the command finds the folders in them"""
    hidden: Sequence[Path] = ()
    """folders that the command finds empty"""
    read_only: Sequence[Path] = ()
    """paths that stay below hidden folders, read-only"""

    @property
    def options(self) -> list[str]:
        """For the command line of the guard."""
        return [
            *("--user", f"{self.uid}:{self.gid}"),
            *(() if self.most_processes is None else ("--most-processes", str(self.most_processes))),
            *(word for folder in self.opened for word in ("--open", str(folder))),
            *(word for folder in self.hidden for word in ("--hide", str(folder))),
            *(word for path in self.read_only for word in ("--keep", str(path))),
        ]
