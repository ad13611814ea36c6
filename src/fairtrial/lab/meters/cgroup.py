"""The lab's control group: its memory limit and its processor quota, version 1 and 2 (cgroups(7))."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MICRO, NANO = 1e-6, 1e-9


class Cgroup:
    """The control groups of this process and their parents, below `root`/sys/fs/cgroup.

    A limit of any parent applies. Inside a container, only the parents up to its own group are visible.
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
        """The lowest limit and the memory charged to it without inactive file pages, in bytes; None without a limit."""
        limits = []
        for folder in self._folders("memory"):
            for limit_file, use_file, inactive in (
                ("memory.max", "memory.current", "inactive_file"),
                ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
            ):
                limit, use = _number(folder / limit_file), _number(folder / use_file)
                if limit is not None and use is not None and limit < 1 << 60:
                    limits.append((limit, use - _stat(folder / "memory.stat").get(inactive, 0)))
        return min(limits, default=(None, None))

    def processors(self) -> float | None:
        """The lowest processor quota, as a number of processors; None without one."""
        quotas = []
        for folder in self._folders("cpu"):
            with suppress(OSError, ValueError):  # "max", which means no limit, is not a number
                quota, period = (folder / "cpu.max").read_text().split()
                quotas.append(float(quota) / float(period))
            quota_us, period_us = _number(folder / "cpu.cfs_quota_us"), _number(folder / "cpu.cfs_period_us")
            if quota_us is not None and period_us and quota_us > 0:
                quotas.append(quota_us / period_us)
        return min(quotas, default=None)

    def throttled(self) -> tuple[int | None, float | None]:
        """The periods in which the processor quota ran out, and for how many seconds; None where not reported."""
        throttled = []
        for folder in self._folders("cpu"):
            stat = _stat(folder / "cpu.stat")
            if "nr_throttled" in stat:
                seconds = stat["throttled_usec"] * MICRO if "throttled_usec" in stat else stat["throttled_time"] * NANO
                throttled.append((stat["nr_throttled"], seconds))
        return max(throttled, default=(None, None))

    def _folders(self, controller: str) -> Iterator[Path]:
        for base, path in (
            (self._base / controller, self._paths.get(controller)),
            (self._base, self._paths.get("")),
            (self._base / "unified", self._paths.get("")),
        ):
            if path is not None and base.is_dir():
                folder = base / path.lstrip("/")
                yield from (
                    group for group in (folder, *folder.parents) if group.is_relative_to(base) and group.is_dir()
                )


def _number(file: Path) -> int | None:
    with suppress(OSError, ValueError):
        return int(file.read_text(encoding="utf-8"))  # "max", which means no limit, is not a number
    return None


def _stat(file: Path) -> dict[str, int]:
    with suppress(OSError, ValueError):
        return {
            key: int(value) for key, value in (line.split() for line in file.read_text(encoding="utf-8").splitlines())
        }
    return {}
