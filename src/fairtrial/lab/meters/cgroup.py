"""The lab's control group: its memory limit and its processor quota, version 1 and 2 (cgroups(7))."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MICRO, NANO = 1e-6, 1e-9


class Cgroup:
    """The groups that this process is in and those above them, below `root`/sys/fs/cgroup.

    A limit anywhere on the way up holds. Inside a container the way up ends at its own group.
    """

    def __init__(self, root: Path) -> None:
        self._base = root / "sys/fs/cgroup"
        self._paths: dict[str, str] = {}
        with suppress(OSError):
            for line in (root / "proc/self/cgroup").read_text().splitlines():
                _, controllers, path = line.split(":", 2)
                for controller in controllers.split(","):
                    self._paths[controller] = path

    def memory(self) -> tuple[int | None, int | None]:
        """The tightest limit in bytes and what is charged to it without inactive file pages; None without a limit."""
        found = []
        for folder in self._ways_up("memory"):
            for limit_file, use_file, inactive in (
                ("memory.max", "memory.current", "inactive_file"),
                ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
            ):
                limit, use = _number(folder / limit_file), _number(folder / use_file)
                if limit is not None and use is not None and limit < 1 << 60:
                    found.append((limit, use - _stat(folder / "memory.stat").get(inactive, 0)))
        return min(found, default=(None, None))

    def throttled(self) -> tuple[int | None, float | None]:
        """Periods in which the processor quota ran out, and the seconds that tasks were held back; None if untold."""
        found = []
        for folder in self._ways_up("cpu"):
            told = _stat(folder / "cpu.stat")
            if "nr_throttled" in told:
                seconds = told["throttled_usec"] * MICRO if "throttled_usec" in told else told["throttled_time"] * NANO
                found.append((told["nr_throttled"], seconds))
        return max(found, default=(None, None))

    def _ways_up(self, controller: str) -> Iterator[Path]:
        for base, path in (
            (self._base / controller, self._paths.get(controller)),
            (self._base, self._paths.get("")),
            (self._base / "unified", self._paths.get("")),
        ):
            if path is not None and base.is_dir():
                folder = base / path.lstrip("/")
                yield from (each for each in (folder, *folder.parents) if each.is_relative_to(base) and each.is_dir())


def _number(file: Path) -> int | None:
    with suppress(OSError, ValueError):
        return int(file.read_text())  # "max" is no number: no limit
    return None


def _stat(file: Path) -> dict[str, int]:
    with suppress(OSError, ValueError):
        return {key: int(value) for key, value in (line.split() for line in file.read_text().splitlines())}
    return {}
