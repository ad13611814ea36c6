"""The lab's hooks in Node.js and Ruby, which tell what their process allocated between two moments.

They and the lab talk by files in a folder. `PID-THREAD.ready` is there once a hook was loaded. The lab makes `count`,
and each hook `PID-THREAD.counting`; the lab makes `end-count`, and each hook `PID-THREAD.allocated` with what it
counted, such as `bytes 5000`. THREAD is that of Node.js.
"""

import time
from collections.abc import Mapping
from pathlib import Path

FOLDER = "FAIRTRIAL_PROFILE"
"""The variable by which hooks know the folder."""
NODE_HOOK, RUBY_HOOK = (Path(__file__).with_name(name) for name in ("node_hook.cjs", "ruby_hook.rb"))
LOOK_EVERY_SECONDS = 0.02
LATE_SECONDS = 5.0
"""So long hooks may take to answer: where a program computes, they wait for their turn."""


def with_option(before: Mapping[str, str], name: str, option: str, between: str = " ") -> str:
    """The value of an environment variable with one more option than it had."""
    return between.join(filter(None, (before.get(name), option)))


def hook_settings(before: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The variables by which Node.js and Ruby load their hook."""
    quoted = str(NODE_HOOK).replace("\\", "\\\\").replace('"', '\\"')
    settings = {FOLDER: str(folder), "NODE_OPTIONS": with_option(before, "NODE_OPTIONS", f'--require "{quoted}"')}
    if not any(map(str.isspace, str(RUBY_HOOK))):  # RUBYOPT has no quotes
        settings["RUBYOPT"] = with_option(before, "RUBYOPT", f"-r{RUBY_HOOK}")
    return settings


class HookCounts:
    """Counts of hooks from `begin` to `end`.

    Args:
        folder: the one that they know.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self) -> None:
        """Have them count, and wait until they do."""
        (self._folder / "count").touch()
        self._await("counting")

    def end(self) -> None:
        """Have them count no more."""
        (self._folder / "end-count").touch()

    def by_process(self) -> dict[int, tuple[str, int]]:
        """By process id, what is counted (`bytes` or `objects`) and how many; empty where a process has not told."""
        if not self._await("allocated"):
            return {}
        counts: dict[int, tuple[str, int]] = {}
        for file in self._folder.glob("*.allocated"):
            pid = _pid(file.name)
            unit, _, number = file.read_text(encoding="utf-8").partition(" ")
            counts[pid] = unit, int(number) + counts.get(pid, (unit, 0))[1]
        return counts

    def _await(self, answer: str) -> bool:
        """Wait until all hooks of live processes, and all that count, have answered; whether they have."""
        deadline = time.monotonic() + LATE_SECONDS
        while True:
            alive = {stem for stem in self._stems("ready") if Path(f"/proc/{_pid(stem)}").exists()}
            missing = (alive | self._stems("counting")) - self._stems(answer)
            if not missing or time.monotonic() > deadline:
                return not missing
            time.sleep(LOOK_EVERY_SECONDS)

    def _stems(self, answer: str) -> set[str]:
        return {file.stem for file in self._folder.glob(f"*.{answer}")}


def _pid(name: str) -> int:
    return int(name.partition("-")[0])
