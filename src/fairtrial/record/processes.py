"""Observations of the processes of a stack, as they are recorded: their user, threads, workers, time and memory, and
how they began and ended."""

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


class Readiness(Strict):
    """The stack when it became ready: before its contract was tried, and before any load."""

    start_up_seconds: float | None = Field(
        description="from the start of its process until it was ready, which is asked every 20 ms; of several "
        "instances the longest. Proxies, upstream and balancer are not in it. Null: it was running already"
    )
    rss_bytes: int | None = Field(None, description="memory of its whole process tree then; null: not read")
    memory_kind: MemoryKind = Field(MemoryKind.RESIDENT, description="how it was read; older records do not say")
    first_answer_seconds: float | None = Field(
        None,
        description="of the first request of the workload, to the last byte of an answer that kept its clause; null: "
        "it did not, or there was none",
    )


class ServerMeter(Strict):
    """Use of a stack's whole process tree in the measured window; of a program's, from its start to its end."""

    window_seconds: float
    cpu_user_seconds: float
    cpu_system_seconds: float
    peak_rss_bytes: int = Field(description="largest sum of its memory in the window; 0: none was measured")
    peak_virtual_bytes: int | None = Field(
        None,
        description="of a program: the largest address space of any of its processes (VmPeak); null: it is a server, "
        "or an older record",
    )
    processes: int = Field(description="at the window's end")
    rss_series_bytes: list[int] = Field(
        default_factory=list, description="the largest sum in each full second of the window"
    )
    end_rss_bytes: int | None = Field(
        None, description="the sum when the window closed; null where the tree had ended, and in older records"
    )
    workers: Workers | None = Field(
        None,
        description="null where no two processes are alike, in a trial that was measured in slices, and in older "
        "records",
    )
    memory_kind: MemoryKind = Field(
        MemoryKind.RESIDENT, description="how its memory was read; older records do not say, and have resident sizes"
    )

    @property
    def cpu_seconds(self) -> float:
        return self.cpu_user_seconds + self.cpu_system_seconds


class Stop(Strict):
    """How the stack stopped on request."""

    seconds: float
    forced: bool = Field(description="it did not end on SIGTERM in time and was killed")
    unheard_by: str = Field(
        "", description="the first process of its container, if that handles no SIGTERM: the kernel then drops it"
    )

    @property
    def why_forced(self) -> str:
        """Why SIGTERM did not reach it, as far as that is known; empty: it did, or ended the stack."""
        if not self.forced or not self.unheard_by:
            return ""
        return (
            f"{self.unheard_by}, the first process of the container, handles no SIGTERM, and the kernel drops one that "
            "such a process does not handle. Start the server by the words of a list, or by `exec` in the shell"
        )
