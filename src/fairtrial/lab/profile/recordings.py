"""The profilers at work on the processes of one condition."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.lab.profile.allocations.hooks import HookCounts, hook_settings
from fairtrial.lab.profile.processes import executable
from fairtrial.lab.profile.profilers import profiler_for
from fairtrial.lab.profile.profilers.model import Profiler, Recording, Target
from fairtrial.record.folded_stacks import Stack, as_frame
from fairtrial.record.profile import ProfileNote


@dataclass
class Sampled:
    """The samples that one profiler took of a condition's processes."""

    processes: int = 0
    stacks: Counter[Stack] = field(default_factory=Counter)


class Recordings:
    """Begins a profiler on each process that does the work, and gathers what they saw; what fails becomes a note.

    A context manager: leaving it ends every profiler.

    Args:
        folder: for files of the recordings; it exists, and is removed by whoever made it.
        build: frames are named relative to this folder, so that two builds of one program can be compared.
    """

    def __init__(self, folder: Path, build: Path) -> None:
        self._folder, self._build = folder, build
        self._shared = folder / "shared"
        self._shared.mkdir()
        self._running: list[tuple[Profiler, Target, Recording]] = []
        self._notes: dict[ProfileNote, None] = {}
        self._hooks = HookCounts(self._shared)
        self.allocated: dict[int, tuple[str, int]] = {}
        """by process, of those that tell: what is counted (`bytes`, `objects`), and how many; once all was gathered"""

    def settings(self, before: Mapping[str, str]) -> dict[str, str]:
        """The environment variables that the program must be started with.

        Args:
            before: those that it would be started with.
        """
        return hook_settings(before, self._shared)

    def begin(self, pids: list[int], seconds: float) -> None:
        """Begin to profile these processes for so long."""
        for pid in pids:
            program, path = executable(pid)
            folder = self._folder / str(pid)
            folder.mkdir(exist_ok=True)
            target = Target(pid, program, path, seconds, folder, self._shared)
            profiler = profiler_for(program)
            if profiler is None:
                self.note(Problem(f"no profiler is known for {program}", ""))
                continue
            try:
                if missing := profiler.missing(target):
                    raise missing
                self._running.append((profiler, target, profiler.begin(target)))
            except Problem as problem:
                self.note(problem)
            except OSError as error:
                self.note(Problem(f"{profiler.name} on {program}: {error.strerror or error}", ""))
        self._hooks.begin()

    def end(self) -> None:
        """The load is over."""
        self._hooks.end()
        for profiler, target, recording in self._running:
            try:
                recording.end()
            except OSError as error:
                self.note(Problem(f"{profiler.name} on {target.program}: {error.strerror or error}", ""))

    def gather(self) -> dict[str, Sampled]:
        """By profiler, what was seen. The processes still run."""
        samples: dict[str, Sampled] = {}
        for profiler, target, recording in self._running:
            try:
                stacks = recording.stacks()
            except Problem as problem:
                self.note(Problem(f"{profiler.name} on {target.program}: {problem.reason}", problem.remedy))
                continue
            except OSError as error:
                self.note(Problem(f"{profiler.name} on {target.program}: {error.strerror or error}", ""))
                continue
            if recording.allocated_bytes is not None:
                self.allocated[target.pid] = "bytes", recording.allocated_bytes
            if not stacks:
                self.note(
                    Problem(
                        f"{profiler.name} saw nothing of {target.program}: it was not on a processor",
                        "profile a load that keeps it busy",
                    )
                )
                continue
            if remark := profiler.remark(stacks):
                self.note(Problem(f"{profiler.name} on {target.program}: {remark.reason}", remark.remedy))
            sampled = samples.setdefault(profiler.name, Sampled())
            sampled.processes += 1
            root = as_frame(target.program)
            for stack, count in stacks.items():
                sampled.stacks[root, *map(self._relative, stack)] += count
        self.allocated |= self._hooks.by_process()
        return samples

    @property
    def notes(self) -> list[ProfileNote]:
        """The processes that were not profiled, and why; each reason once."""
        return list(self._notes)

    def note(self, problem: Problem) -> None:
        """Keep why something was not profiled."""
        self._notes[ProfileNote(reason=problem.reason, remedy=problem.remedy)] = None

    def _relative(self, frame: str) -> str:
        return frame.replace(f"{self._build}/", "")

    def __enter__(self) -> "Recordings":
        return self

    def __exit__(self, *_exception: object) -> None:
        for _, _, recording in self._running:
            recording.close()
