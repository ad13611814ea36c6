"""Node.js: its own CPU profiler (that of `node --cpu-prof`), begun and ended by the lab's hook."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fairtrial.base.problem import Problem
from fairtrial.lab.profile.profilers.model import Profiler, Target
from fairtrial.lab.profile.tool import LATE_SECONDS
from fairtrial.record.folded_stacks import Stack, as_stack

LOOK_EVERY_SECONDS = 0.05
MOST_BYTES = 128 * 2**20
"""Of a profile: a second of it has about 100 kB."""
MOST_DEEP = 512
IDLE = "(idle)"
NOT_FRAMES = {"(root)"}
RESTART = "see that the program is started by `node` and passes NODE_OPTIONS on, and is of version 18 or newer"


def is_node(program: str) -> bool:
    """Whether this is the executable of Node.js."""
    return program in ("node", "nodejs")


def _missing(target: Target) -> Problem | None:
    if not list(target.shared_folder.glob(f"{target.pid}-*.ready")):
        return Problem("the Node.js program has not loaded the lab's hook", RESTART)
    return None


class _Recording:
    """The profiles of the threads of one process."""

    allocated_bytes: int | None = None

    def __init__(self, target: Target) -> None:
        self._folder, self._pid = target.shared_folder, target.pid
        self._say("begin")

    def _say(self, what: str) -> None:
        (self._folder / f"{self._pid}.{what}").touch()

    def end(self) -> None:
        """Ask for the profiles."""
        self._say("end")

    def stacks(self) -> Counter[Stack]:
        """The stacks that were seen in those threads that wrote their profiles in time.

        Raises:
            Problem: none did, or they cannot be read.
        """
        deadline = time.monotonic() + LATE_SECONDS
        threads = len(list(self._folder.glob(f"{self._pid}-*.ready")))
        while len(profiles := list(self._folder.glob(f"{self._pid}-*.cpuprofile"))) < threads:
            if time.monotonic() > deadline:
                break
            time.sleep(LOOK_EVERY_SECONDS)
        if not profiles:
            raise Problem(f"Node.js wrote no profile within {LATE_SECONDS:.0f} s", "see that its event loop goes on")
        stacks: Counter[Stack] = Counter()
        for file in profiles:
            stacks += _read(file)
        return stacks

    def close(self) -> None:
        """The hook ends with its process."""


def _read(file: Path) -> Counter[Stack]:
    if file.stat().st_size > MOST_BYTES:
        raise Problem(f"the profile of Node.js has more than {MOST_BYTES >> 20} MiB", "profile a shorter load")
    try:
        return folded_profile(json.loads(file.read_bytes()))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise Problem("the profile of Node.js cannot be read", "report it, with the version of Node.js") from error


def folded_profile(profile: dict[str, Any]) -> Counter[Stack]:
    """The stacks of a CPU profile of V8 (Profiler.Profile of the Chrome DevTools protocol), without idle time."""
    nodes = {node["id"]: node for node in profile["nodes"]}
    parents = {child: node["id"] for node in profile["nodes"] for child in node.get("children", ())}
    stacks: Counter[Stack] = Counter()
    for number, count in Counter(profile["samples"]).items():
        frames: list[str] = []
        at = number
        while at is not None and len(frames) < MOST_DEEP:
            frames.append(_frame(nodes[at]["callFrame"]))
            at = parents.get(at)
        program_frames = [frame for frame in reversed(frames) if frame not in NOT_FRAMES]
        if program_frames and program_frames[-1] != IDLE:
            stacks[as_stack(program_frames)] += count
    return stacks


def _frame(call: dict[str, Any]) -> str:
    name = str(call["functionName"]) or "(anonymous)"
    where = unquote(str(call.get("url", ""))).removeprefix("file://")
    return f"{name} ({where}:{int(call['lineNumber']) + 1})" if where else name


PROFILER = Profiler(name="node-cpu-profile", suits=is_node, missing=_missing, begin=_Recording)
