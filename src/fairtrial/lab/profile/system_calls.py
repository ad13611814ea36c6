"""Counts by tools of a stack's processes in short loads of their own: system calls, and the processors' own events.

perf counts in the kernel, and loses nothing. Each name that it counts costs time at every switch of a thread, and some
30 ms when it ends: those that occur are looked for first. strace stops the process at each call, for some 100 times
the time of a call. `perf trace -p` does not see threads that begin later.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from fairtrial.base.problem import Problem
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.process_tree import processes_below
from fairtrial.lab.profile.perf_stat import Perf, counts_by_event
from fairtrial.lab.profile.short_loads import FIRST_DRAW, LOADS
from fairtrial.lab.profile.tool import LATE_SECONDS, Tool, converted
from fairtrial.lab.trial.offered_load import run_once
from fairtrial.lab.trial.up import UpContender
from fairtrial.load.request_load import OneRunLoad
from fairtrial.record.profile import HardwareEvents, SystemCalls

SECONDS = 1.0
NAMES_SECONDS = 0.3
"""How long names are looked for that are worth to be counted."""
DRAIN_SECONDS = 2.0
"""So long answers that are under way are awaited, so that calls and answers are those of the same requests."""
MOST_NAMES = 24
HARDWARE = ("instructions", "cycles", "cache-misses", "branch-misses")
ALL_CALLS = "raw_syscalls:sys_enter"
CALL = "syscalls:sys_enter_"
OF_KERNEL = {"fstat": "newfstat", "lstat": "newlstat", "sendfile": "sendfile64", "stat": "newstat", "uname": "newuname"}
"""The kernel's names of system calls that programs, and the tables of perf and strace, call otherwise."""
LINE_OF_TRACE = re.compile(r"^ {3}(?P<name>\w+) +(?P<calls>\d+) +\d+ ", re.MULTILINE)
"""Of `perf trace -s`: name, calls, errors."""
LINE_OF_STRACE = re.compile(
    r"^ *[\d.,]+ +[\d.,]+ +\d+ +(?P<calls>\d+) +(?:\d+ +)?(?!total$)(?P<name>\w+)$", re.MULTILINE
)
"""Of `strace -c`: share, seconds, microseconds a call, calls, errors if there were any, name."""
HELP = (
    "run as root where there is perf (Debian: apt install linux-perf); or install strace, and let this user look into "
    "its own programs: sysctl kernel.yama.ptrace_scope=0"
)


class _Counting(Protocol):
    def begin(self) -> None:
        """Wait until it counts; raises Problem."""

    def end(self) -> Path:
        """End it, and return the file that it wrote; raises Problem."""


@dataclass
class _Loads:
    """The contender, and the load that it gets under each tool.

    Attributes:
        folder: for files of the tools.
    """

    contender: UpContender
    load: OneRunLoad
    folder: Path
    draw: int = FIRST_DRAW + LOADS

    @property
    def pids(self) -> list[int]:
        """The processes of the stack that are there now."""
        return [process.pid for process in processes_below(*self.contender.deployment.roots)]

    def under(self, counting: AbstractContextManager[_Counting], seconds: float) -> tuple[Path, int]:
        """The file with what was counted from the first connection of a load to its last answer, and how many answers
        were verified.

        Raises:
            Problem: the tool or the load failed, or no answer was verified.
            StackEnded: the stack did, meanwhile.
        """
        with counting as tool:
            tool.begin()
            load, self.draw = self.load.lasting(seconds), self.draw + 1
            summary = run_once(
                self.contender.context, self.contender.deployment, load, draw=self.draw, adapted=_with_each_answer
            )
            file = tool.end()
        if not summary.run_verified:
            raise Problem("no answer was verified under it", "")
        return file, summary.run_verified


def _with_each_answer(plan: EnginePlan) -> EnginePlan:
    """Without a warm-up, as the stack is warm, and until all is answered that was sent."""
    drain_seconds = min(DRAIN_SECONDS, plan.timeout_seconds) if plan.drain_seconds is None else plan.drain_seconds
    return plan.model_copy(update={"warmup_seconds": 0.0, "warmup_limit_seconds": None, "drain_seconds": drain_seconds})


def count_hardware(contender: UpContender, load: OneRunLoad, folder: Path) -> HardwareEvents | None:
    """The events that the processors count themselves; None where none can be had, as in most virtual machines."""
    stat = ["stat", "-x", ",", "-e", ",".join(HARDWARE)]
    try:
        of_nothing = folder / "of-nothing"
        converted("perf-of-nothing", ["perf", *stat, "-o", str(of_nothing), "--", "true"], folder)
        if not counts_by_event(of_nothing.read_text()):
            return None
        loads = _Loads(contender, load, folder)
        counts, verified = loads.under(Perf(stat, loads.pids, folder / "hardware"), SECONDS)
        return HardwareEvents(verified=verified, by_name=counts_by_event(counts.read_text()))
    except (Problem, OSError):
        return None


def count_system_calls(
    contender: UpContender, load: OneRunLoad, folder: Path, note: Callable[[Problem], None]
) -> SystemCalls | None:
    """The system calls, by the tool that disturbs least of those that can be had here.

    Args:
        note: is told where there is none, or one that slows the stack down.

    Raises:
        StackEnded: the stack did, meanwhile.
    """
    loads, reasons = _Loads(contender, load, folder), []
    for tool, counted in (("perf", _by_perf), ("strace", _by_strace)):
        if shutil.which(tool) is None:
            reasons.append(f"there is no `{tool}`")
            continue
        try:
            calls = counted(loads)
        except Problem as problem:
            reasons.append(problem.reason)
        except OSError as error:
            reasons.append(f"{tool}: {error.strerror}")
        else:
            if tool == "strace":
                note(
                    Problem(
                        "its system calls were counted by strace, which slows it down by a factor: those by which it "
                        f"waits (futex, epoll_wait) can be more or fewer than without ({reasons[0]})",
                        "run as root where there is perf (Debian: apt install linux-perf)",
                    )
                )
            return calls
    note(Problem(f"system calls are not counted: {'; '.join(reasons)}", HELP))
    return None


def _by_perf(loads: _Loads) -> SystemCalls:
    tracepoints = _tracepoints(loads.folder)
    record = ["record", "-q", "--no-buildid-cache", "-e", f"{ALL_CALLS},raw_syscalls:sys_exit"]
    recording, _ = loads.under(Perf(record, loads.pids, loads.folder / "names"), NAMES_SECONDS)
    trace = ["perf", "trace", "-s", "-o", str(loads.folder / "trace"), "-i", str(recording)]
    converted("perf-trace", trace, loads.folder)
    occurred = calls_by_name((loads.folder / "trace").read_text(), LINE_OF_TRACE)
    points = {name: CALL + OF_KERNEL.get(name, name) for name, _ in occurred.most_common()}
    names = [name for name, point in points.items() if point in tracepoints][:MOST_NAMES]
    stat = ["stat", "-x", ",", "-e", ",".join([ALL_CALLS, *(points[name] for name in names)])]
    file, verified = loads.under(Perf(stat, loads.pids, loads.folder / "calls"), SECONDS)
    counts = counts_by_event(file.read_text())
    return SystemCalls(
        tool="perf",
        verified=verified,
        total=counts.get(ALL_CALLS, 0),
        by_name={name: counts.get(points[name], 0) for name in names},
    )


def _tracepoints(folder: Path) -> set[str]:
    """The system calls that perf can count by name.

    Raises:
        Problem: none; root alone may, unless tracefs is opened to others.
    """
    output = converted("perf-list", ["perf", "list", f"{CALL}*"], folder).read_text(errors="replace")
    points = set(re.findall(rf"{CALL}\w+", output))
    if not points:
        raise Problem("perf counts system calls for root alone here", "")
    return points


class _Strace:
    def __init__(self, pids: Sequence[int], folder: Path) -> None:
        self._counts, self._last = folder / "strace-counts", pids[-1]
        which = [word for pid in pids for word in ("-p", str(pid))]
        self._tool = Tool("strace", ["strace", "-c", "-f", "-o", str(self._counts), *which], folder)

    def begin(self) -> None:
        """Wait until it is attached to all."""
        last = re.compile(rf"\b{self._last}\b.*")
        self._tool.wait(LATE_SECONDS, until=lambda: last.search(self._messages()) is not None)
        if "not permitted" in self._messages():
            raise Problem("strace may not look into each of its processes", "")

    def end(self) -> Path:
        """Detach it, which has it write."""
        self._tool.close()
        return self._counts

    def _messages(self) -> str:
        return self._tool.errors.read_text(errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._tool.close()


def _by_strace(loads: _Loads) -> SystemCalls:
    file, verified = loads.under(_Strace(loads.pids, loads.folder), SECONDS)
    counts = calls_by_name(file.read_text(), LINE_OF_STRACE)
    return SystemCalls(
        tool="strace", verified=verified, total=counts.total(), by_name=dict(counts.most_common(MOST_NAMES))
    )


def calls_by_name(printed: str, line: re.Pattern[str]) -> Counter[str]:
    """The sum over threads of what a tool printed, by the name of the system call."""
    counts: Counter[str] = Counter()
    for words in line.finditer(printed):
        counts[words["name"]] += int(words["calls"])
    return counts
