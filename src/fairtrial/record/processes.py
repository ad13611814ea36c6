"""Observations of the processes of a stack, as they are recorded: their user, threads, workers and memory."""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from fairtrial.base.strict import Strict


class MemoryKind(StrEnum):
    """Figures of different kinds are not compared."""

    RESIDENT = "resident"
    """the sum of resident set sizes: a page that several processes share counts once for each"""
    PROPORTIONAL = "proportional"
    """the sum of proportional set sizes, and memory that is held without being mapped: each page counts once"""


def joint_kind(kinds: Iterable[MemoryKind]) -> MemoryKind:
    """The kind of several readings of one figure together: proportional if all are."""
    return MemoryKind.RESIDENT if MemoryKind.RESIDENT in kinds else MemoryKind.PROPORTIONAL


class StackUser(Strict):
    """Whether a stack ran as a user of its own, which owns nothing but a folder for this trial."""

    own: bool = Field(description="false: it ran as the user of the lab, and could write wherever that may")
    reason: str = Field("", description="why it ran as the user of the lab; empty: it did not")
    held_to_cpus: bool = Field(
        False, description="the kernel held it to its processors by a control group that it had no right to leave"
    )


class StrayThreads(Strict):
    """Threads of the stack that may run on other processors than it was given, as each was asked."""

    looks: int = Field(description="how often all threads were asked")
    looks_outside: int = Field(description="in how many of them a thread might run outside of the server's processors")
    threads: int = Field(description="the most such threads in one look")
    cpus: list[int] = Field(description="the processors outside on which one of them might run")
    programs: list[str] = Field(description="names of their processes, as the kernel has them; printable")


class Workers(Strict):
    """Processes of one parent and one command line, but for its digits: of all such groups the one that used most."""

    program: str = Field(description="their name, as the kernel has it; printable")
    processes: int = Field(description="that lived through the whole window; at least two")
    at_work: int = Field(description="those that used at least a hundredth of what the busiest did")
    least_cpu_seconds: float = Field(description="of all of them, in the window, without those that they started")
    most_cpu_seconds: float
    cpu_seconds: float = Field(description="all of theirs")
