"""A profiler, and what the lab asks of one that records."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fairtrial.base.problem import Problem
from fairtrial.record.folded_stacks import Stack


@dataclass(frozen=True)
class Target:
    """A process that is to be profiled."""

    pid: int
    program: str
    """the name of its executable, such as `python3.11`"""
    executable: Path | None
    """None: it may not be read"""
    seconds: float
    """how long"""
    folder: Path
    """empty, for files of this recording; removed after it"""
    shared_folder: Path
    """the one that the lab's hooks know"""


class Recording(Protocol):
    """A profiler at work on one process. It ends at the latest with `close`."""

    allocated_bytes: int | None
    """by the program itself, once `stacks` was called; None: the profiler does not tell"""

    def end(self) -> None:
        """The load is over: record no more."""

    def stacks(self) -> Counter[Stack]:
        """The stacks that were seen, and how often; the process still runs.

        Raises:
            Problem: the profiler failed; the reason says how.
        """

    def close(self) -> None:
        """End whatever of it still runs."""


@dataclass(frozen=True)
class Profiler:
    """A profiler that may be on this machine."""

    name: str
    suits: Callable[[str], bool]
    """whether it is meant for programs with an executable of this name"""
    missing: Callable[[Target], Problem | None]
    """why it cannot profile this process here, as far as that is known before; None: it is to be tried"""
    begin: Callable[[Target], Recording]
    """begin to record; raises Problem"""
    remark: Callable[[Counter[Stack]], Problem | None] = lambda _stacks: None
    """what there is to say of stacks that were seen: why they are of little use"""
    general: bool = False
    """whether it is for programs that no other profiler is meant for"""
