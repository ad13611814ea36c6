"""Whether the kernel holds a guarded command to its processors, by a control group of the guard's (cgroups(7))."""

import time
from pathlib import Path

import psutil

GROUP = "fairtrial-guard-{}"
"""engine/guard/src/control_group.rs"""
STARTED_WITHIN_SECONDS = 0.1
LOOK_EVERY_SECONDS = 0.001


def is_held_to_cpus(guard_pid: int) -> bool:
    """Whether what runs below the guard is in such a group. A command that has just been started is waited for."""
    deadline = time.monotonic() + STARTED_WITHIN_SECONDS
    while time.monotonic() < deadline:
        try:
            children = psutil.Process(guard_pid).children()
            groups = Path(f"/proc/{children[0].pid}/cgroup").read_text(encoding="utf-8") if children else ""
        except (psutil.Error, OSError):
            return False
        if children:
            return any(_holds(line, GROUP.format(guard_pid)) for line in groups.splitlines())
        time.sleep(LOOK_EVERY_SECONDS)
    return False


def _holds(line: str, group: str) -> bool:
    """Whether a line of /proc/PID/cgroup names this group, with processors: one of version 1, or of version 2."""
    _, controllers, path = line.split(":", 2)
    if not path.endswith(f"/{group}"):
        return False
    unified = Path("/sys/fs/cgroup") / path.lstrip("/") / "cpuset.cpus"
    return "cpuset" in controllers.split(",") or (not controllers and unified.exists())
