"""JDK Flight Recorder: samples the Java frames of a running virtual machine; it comes with every JDK."""

import json
import shutil
from collections import Counter
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.lab.profile.profilers.model import Profiler, Target
from fairtrial.lab.profile.tool import converted
from fairtrial.record.folded_stacks import Stack, as_stack

NAME = "fairtrial"
SAMPLE, ALLOCATED = "jdk.ExecutionSample", "jdk.ThreadAllocationStatistics"
"""Kinds of events: stacks, and the bytes that each thread has allocated since it began."""
DEEPEST = 64
"""Frames of a stack: as many as a recording holds unless the virtual machine is told otherwise."""
OF_THE_RECORDER = ("Attach Listener", "JFR Periodic Tasks", "JFR Recorder Thread")
"""Threads that work because there is a recording."""
INSTALL = "install the JDK of the same version (Debian: apt install openjdk-17-jdk-headless): a JRE has no jcmd"
BY_HAND = "try `jcmd PID JFR.start` by hand, as the user that runs the program"


def is_java(program: str) -> bool:
    """Whether this is the executable of a Java virtual machine."""
    return program == "java"


def _command(name: str, target: Target) -> str | None:
    """Beside the program's own `java`, or on the PATH."""
    beside = None if target.executable is None else shutil.which(name, path=str(target.executable.parent))
    return beside or shutil.which(name)


def _missing(target: Target) -> Problem | None:
    if _command("jcmd", target) is None or _command("jfr", target) is None:
        return Problem("there are no `jcmd` and `jfr`, which profile Java", INSTALL)
    return None


class _Recording:
    """A recording of one virtual machine.

    Raises:
        Problem: it did not begin.
    """

    def __init__(self, target: Target) -> None:
        self._target, self._data = target, target.folder / "recording.jfr"
        self._jcmd = _command("jcmd", target) or "jcmd"
        converted("jcmd", self._words("JFR.start", f"name={NAME}", "settings=profile"), target.folder)
        self._failed: Problem | None = None
        self.allocated_bytes: int | None = None

    def _words(self, *words: str) -> list[str]:
        return [self._jcmd, str(self._target.pid), *words]

    def end(self) -> None:
        """Stop it, and let the virtual machine write what it saw."""
        try:
            converted(
                "jcmd-stop", self._words("JFR.stop", f"name={NAME}", f"filename={self._data}"), self._target.folder
            )
        except Problem as problem:
            self._failed = Problem(problem.reason, problem.remedy or BY_HAND)

    def stacks(self) -> Counter[Stack]:
        """The stacks that were seen; `allocated_bytes` is known then.

        Raises:
            Problem: jcmd or jfr failed.
        """
        if self._failed is not None:
            raise self._failed
        if not self._data.exists():
            raise Problem("the virtual machine wrote no recording", BY_HAND)
        jfr = _command("jfr", self._target) or "jfr"
        events = f"{SAMPLE},{ALLOCATED}"
        words = [jfr, "print", "--json", "--events", events, "--stack-depth", str(DEEPEST)]
        printed = converted("jfr", [*words, str(self._data)], self._target.folder)
        try:
            events_of_recording = json.loads(printed.read_bytes())
            self.allocated_bytes = allocated_bytes(events_of_recording)
            return folded_events(events_of_recording)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise Problem("what `jfr print` says cannot be read", "report it, with the version of the JDK") from error

    def close(self) -> None:
        """The recording ends with the virtual machine."""


def folded_events(printed: dict[str, Any]) -> Counter[Stack]:
    """The stacks of what `jfr print --json` says of jdk.ExecutionSample; frames there begin with the innermost."""
    stacks: Counter[Stack] = Counter()
    for event in _events(printed, SAMPLE):
        trace, thread = event.get("stackTrace"), event.get("sampledThread") or {}
        if trace and thread.get("javaName") not in OF_THE_RECORDER:
            frames = [f"{_class(frame)}.{frame['method']['name']}" for frame in reversed(trace["frames"])]
            stacks[as_stack(frames)] += 1
    return stacks


def allocated_bytes(printed: dict[str, Any]) -> int | None:
    """The bytes that threads allocated between the first and the last jdk.ThreadAllocationStatistics, which come at the
    begin and the end of a recording; None without them. What threads allocated that ended meanwhile is missing."""
    by_thread: dict[int, list[tuple[str, int]]] = {}
    for event in _events(printed, ALLOCATED):
        thread = event.get("thread") or {}
        if thread.get("javaName") not in OF_THE_RECORDER:
            counts = by_thread.setdefault(thread.get("osThreadId", 0), [])
            counts.append((event["startTime"], int(event["allocated"])))
    ordered = [sorted(counts) for counts in by_thread.values()]
    most = max(map(len, ordered), default=0)
    if most <= 1:
        return None
    begin = max(counts[0][0] for counts in ordered if len(counts) == most)
    return sum(counts[-1][1] - (counts[0][1] if counts[0][0] <= begin else 0) for counts in ordered)


def _events(printed: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [event["values"] for event in printed["recording"]["events"] if event["type"] == kind]


def _class(frame: dict[str, Any]) -> str:
    return str(frame["method"]["type"]["name"]).replace("/", ".")


PROFILER = Profiler(name="jfr", suits=is_java, missing=_missing, begin=_Recording)
