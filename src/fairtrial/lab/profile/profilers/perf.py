"""perf (Linux): samples the stacks of a native program by its frame pointers, the kernel's part among them."""

import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.lab.profile.profilers.model import Profiler, Recording, Target
from fairtrial.lab.profile.tool import CommandRecording, Tool, converted
from fairtrial.record.folded_stacks import Stack, as_stack

SAMPLES_PER_SECOND = 199
"""Of each processor that the program uses. A prime, so that it does not keep step with timers."""
FRAME = re.compile(r"\s*[0-9a-f]+ (?P<symbol>.*) \((?P<object>[^()]*(?:\([^()]*\))?[^()]*)\)\s*")
"""A line of `perf script -F ip,sym,dso`: address, symbol, and in brackets the file that holds it."""
KERNEL = ("[kernel", "[k", "[guest.kernel")
UNKNOWN = "[unknown]"
NAMELESS = re.compile(r"\[.*\]")
"""A frame without a symbol, as which the file that holds it stands; several of one file in a row are one."""
MOST_NAMELESS = 0.5
"""Share of the stacks without a single symbol of the program from which on they are of little use."""
INSTALL = "install perf (Debian: apt install linux-perf; Ubuntu: apt install linux-tools-generic)"
PERMIT = (
    "let this user profile its own programs: sysctl kernel.perf_event_paranoid=1 (as root, until the next start), or "
    "run as root"
)


def _missing(_target: Target) -> Problem | None:
    if shutil.which("perf") is None:
        return Problem("there is no `perf`, which profiles native programs", INSTALL)
    return None


def _begin(target: Target) -> Recording:
    data = target.folder / "perf.data"
    tool = Tool(
        "perf",
        [
            *("perf", "record", "--quiet", "--no-buildid-cache", "-g", "-F", str(SAMPLES_PER_SECOND)),
            *("-p", str(target.pid), "-o", str(data), "--", "sleep", f"{target.seconds:.3f}"),
        ],
        target.folder,
    )
    return CommandRecording(tool, lambda: _fold(target, data), _explain)


def _explain(reason: str) -> str:
    return PERMIT if re.search(r"paranoid|permission|permitted|access", reason, re.IGNORECASE) else INSTALL


def _fold(target: Target, data: Path) -> Counter[Stack]:
    script = ["perf", "script", "--no-inline", "-F", "ip,sym,dso", "-i", str(data)]
    with converted("perf-script", script, target.folder).open(encoding="utf-8", errors="replace") as lines:
        return folded_samples(lines)


def folded_samples(lines: Iterable[str]) -> Counter[Stack]:
    """The stacks of what `perf script -F ip,sym,dso` prints: a frame a line, the innermost first, a blank line behind
    each sample."""
    stacks: Counter[Stack] = Counter()
    frames: list[str] = []
    for line in lines:
        matched = FRAME.fullmatch(line.rstrip("\n"))
        if matched:
            frame = _frame(matched["symbol"], matched["object"])
            if not (frames and frame == frames[-1] and NAMELESS.fullmatch(frame)):
                frames.append(frame)
        elif not line.strip() and frames:
            stacks[as_stack(frames[::-1])] += 1
            frames = []
    if frames:
        stacks[as_stack(frames[::-1])] += 1
    return stacks


def _frame(symbol: str, held_by: str) -> str:
    file = held_by if held_by.startswith("[") else f"[{Path(held_by).name}]"
    name = file if symbol == UNKNOWN else symbol
    return f"{name} [kernel]" if held_by.startswith(KERNEL) and symbol != UNKNOWN else name


def _remark(stacks: Counter[Stack]) -> Problem | None:
    """That the program was built without symbols."""
    nameless = sum(
        count
        for stack, count in stacks.items()
        if all(NAMELESS.fullmatch(frame) or frame.endswith(" [kernel]") for frame in stack)
    )
    if nameless < MOST_NAMELESS * stacks.total():
        return None
    return Problem(
        f"{nameless / stacks.total():.0%} of the stacks have no symbol of the program",
        "build it with its symbols and with frame pointers (Go: without -ldflags=-s; Rust: strip = false, RUSTFLAGS=-C "
        "force-frame-pointers=yes; C: -fno-omit-frame-pointer)",
    )


PROFILER = Profiler(
    name="perf", suits=lambda _program: True, general=True, missing=_missing, begin=_begin, remark=_remark
)
