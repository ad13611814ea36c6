"""How Dask is set on hosts of trials: idle workers stay quiet, side effects happen once, and no page is served.

The figures are processor time of an idle worker, in ms for each second, measured on two shared processors (Linux 6.18,
Python 3.11, distributed 2026.8.0): 64.6 with Dask's defaults, 3.1 with the settings below, 0.3 with heartbeats every
10 s as well.
"""

import json
from collections.abc import Iterator, Mapping
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
    of: Literal["workers", "scheduler"]
    purpose: Purpose
    reason: str


def _quiet(key: str, value: bool | int | str, reason: str) -> Setting:
    return Setting(f"distributed.{key}", value, "workers", "quiet", reason)


def _closed(role: str, reason: str) -> Setting:
    of: Literal["workers", "scheduler"] = "workers" if role == "worker" else "scheduler"
    return Setting(f"distributed.{role}.http.routes", [], of, "closed", reason)


def _of_scheduler(key: str, value: bool | int | str | list[str], purpose: Purpose, reason: str) -> Setting:
    return Setting(f"distributed.scheduler.{key}", value, "scheduler", purpose, reason)


SETTINGS = (
    _quiet("worker.profile.enabled", False, "the profiler looks at each thread every 10 ms"),
    _quiet("admin.tick.interval", "1h", "the event loop's lag is measured every 20 ms"),
    _quiet("admin.tick.cycle", "1h", "and looked at every second"),
    _quiet("worker.memory.monitor-interval", "1h", "memory is measured every 100 ms"),
    _quiet("worker.memory.target", False, "results hold processes: they are never written to disk"),
    _quiet("worker.memory.spill", False, "likewise"),
    _quiet("admin.system-monitor.interval", "1h", "processor, memory and disk are sampled every 500 ms"),
    _quiet("admin.system-monitor.gil.enabled", False, "a thread samples who holds the interpreter's lock"),
    _quiet("admin.system-monitor.disk", False, "part of the samples"),
    _quiet("diagnostics.nvml", False, "graphics cards are asked for their state"),
    _of_scheduler("preload", [SLOW_HEARTBEATS], "quiet", f"a heartbeat every {HEARTBEAT_SECONDS:g} s"),
    _of_scheduler("work-stealing", False, "once", "what was put on a host stays there"),
    _of_scheduler("active-memory-manager.start", False, "once", "results stay on their host, and are not copied"),
    _of_scheduler("allowed-failures", 0, "once", "what a lost worker did is not done again elsewhere"),
    _closed("worker", "pages without TLS or a password, for whoever reaches the host"),
    _closed("scheduler", "likewise, with the names and the logs of all workers"),
)


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
    return "".join(_yaml_lines(_tree(), ""))


def _tree() -> dict[str, object]:
    tree: dict[str, object] = {}
    for setting in SETTINGS:
        *parents, last = setting.key.split(".")
        branch = tree
        for name in parents:
            below = branch.setdefault(name, {})
            assert isinstance(below, dict)
            branch = below
        branch[last] = setting
    return tree


def _yaml_lines(branch: Mapping[str, object], indent: str) -> Iterator[str]:
    for name, value in branch.items():
        if isinstance(value, Setting):
            yield f"{indent}# {value.reason}\n"
            yield f"{indent}{name}: {json.dumps(value.value)}\n"  # what is JSON is YAML
        else:
            assert isinstance(value, dict)
            yield f"{indent}{name}:\n"
            yield from _yaml_lines(value, indent + "  ")
