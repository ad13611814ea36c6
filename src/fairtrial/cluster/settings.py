"""How Dask is set on hosts of trials: idle workers stay quiet, side effects happen once, and no page is served.

The figures are processor time of an idle worker, in ms for each second, measured on two shared processors (Linux 6.18,
Python 3.11, distributed 2026.8.0): 64.6 with Dask's defaults, 3.1 with the settings below, 0.3 with heartbeats every
10 s as well.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

HEARTBEAT_SECONDS = 10.0
"""Far below `distributed.scheduler.worker-ttl` (5 minutes), after which a silent worker is given up."""

SLOW_HEARTBEATS = "fairtrial.cluster.slow_heartbeats"
"""The module that the scheduler loads: no setting of Dask's reaches the heartbeat."""

Purpose = Literal["quiet", "once", "closed"]


@dataclass(frozen=True)
class Setting:
    """A key of Dask's configuration, its value on hosts of trials, and why it has that value."""

    key: str
    value: bool | int | str | list[str]
    purpose: Purpose
    reason: str

    @property
    def of(self) -> Literal["workers", "scheduler"]:
        """Whose configuration it is."""
        return "scheduler" if self.key.startswith("distributed.scheduler.") else "workers"


_QUIET: tuple[tuple[str, bool | str, str], ...] = (
    ("worker.profile.enabled", False, "the profiler looks at each thread every 10 ms"),
    ("admin.tick.interval", "1h", "the event loop's lag is measured every 20 ms"),
    ("admin.tick.cycle", "1h", "the event loop's lag is looked at every second"),
    ("worker.memory.monitor-interval", "1h", "memory is measured every 100 ms"),
    ("worker.memory.target", False, "results hold processes: they are never written to disk"),
    ("worker.memory.spill", False, "results hold processes: they are never written to disk"),
    ("admin.system-monitor.interval", "1h", "processor, memory and disk are sampled every 500 ms"),
    ("admin.system-monitor.gil.enabled", False, "a thread samples who holds the interpreter's lock"),
    ("admin.system-monitor.disk", False, "disks are read for each sample of the system"),
    ("diagnostics.nvml", False, "graphics cards are asked for their state"),
)
SETTINGS = (
    *(Setting(f"distributed.{key}", value, "quiet", reason) for key, value, reason in _QUIET),
    Setting("distributed.scheduler.preload", [SLOW_HEARTBEATS], "quiet", f"a heartbeat every {HEARTBEAT_SECONDS:g} s"),
    Setting("distributed.scheduler.work-stealing", False, "once", "what was put on a host stays there"),
    Setting(
        "distributed.scheduler.active-memory-manager.start",
        False,
        "once",
        "results stay on their host, and are not copied",
    ),
    Setting("distributed.scheduler.allowed-failures", 0, "once", "what a lost worker did is not done again elsewhere"),
    Setting(
        "distributed.worker.http.routes", [], "closed", "pages without TLS or a password, for whoever reaches the host"
    ),
    Setting(
        "distributed.scheduler.http.routes",
        [],
        "closed",
        "pages without TLS or a password, with the names and the logs of all workers",
    ),
)


def values(of: Literal["workers", "scheduler"]) -> dict[str, object]:
    """Theirs by key, as Dask takes them."""
    return {setting.key: setting.value for setting in SETTINGS if setting.of == of}


SETTINGS_REMEDY = (
    "write `fairtrial cluster settings` to a file in ~/.config/dask/ on each host, and start scheduler and workers anew"
)


def differing(actual: Mapping[str, object], of: Literal["workers", "scheduler"], purpose: Purpose) -> list[str]:
    """Keys whose actual value is another than the one in `SETTINGS`.

    Args:
        actual: values by key; a key that is missing differs.
    """
    return [
        each.key
        for each in SETTINGS
        if each.of == of and each.purpose == purpose and not _as_wanted(actual.get(each.key), each.value)
    ]


def _as_wanted(actual: object, value: object) -> bool:
    if isinstance(value, list):  # the environment gives a single text
        return set(value) <= set(actual if isinstance(actual, list) else [actual])
    return actual is not None and str(actual).lower() == str(value).lower()  # and text for all else


def as_yaml() -> str:
    """All settings as a configuration file of Dask's, with the reason for each above it."""
    lines: list[str] = []
    above: list[str] = []
    for setting in sorted(SETTINGS, key=lambda each: each.key.split(".")):
        *parents, name = setting.key.split(".")
        for depth, parent in enumerate(parents):
            if above[: depth + 1] != parents[: depth + 1]:
                lines.append(f"{'  ' * depth}{parent}:\n")
        indent, above = "  " * len(parents), parents
        lines.append(f"{indent}# {setting.reason}\n")
        lines.append(f"{indent}{name}: {json.dumps(setting.value)}\n")  # what is JSON is YAML
    return "".join(lines)
