"""The machine as a whole, read at both ends of a window: processors, swap, memory, quota, heat, pressure."""

import os
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from fairtrial.lab.meters.cgroup import Cgroup
from fairtrial.record.machine import MachineMeter, ProcessorUse

ROOT = Path("/")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
KIB, KILO, MICRO = 1024, 1000, 1e-6


@dataclass(frozen=True)
class _Reading:
    at: float
    ticks: dict[int, tuple[int, int, int]]
    """by processor: busy, interrupts, steal"""
    own: tuple[float, float]
    """seconds of the lab's tree: on the server's processors, elsewhere"""
    swapped: tuple[int | None, int | None]
    throttled: tuple[int | None, float | None]
    thermal: int | None
    pressure: dict[str, float]


class MachineWatch:
    """Measures the machine from `open` to `close`.

    Args:
        server_cpus: whoever of the lab's process tree is bound to these, and to no others, is the server's side.
        root: where `proc` and `sys` are; another one for tests.
    """

    def __init__(self, server_cpus: Collection[int], root: Path = ROOT) -> None:
        self._server_cpus = set(server_cpus)
        self._root = root
        self._cgroup = Cgroup(root)

    def open(self) -> None:
        """The window opens."""
        self._before = self._read()

    def close(self) -> MachineMeter:
        """The window closes."""
        before, after = self._before, self._read()
        memory = _table(self._root / "proc/meminfo")
        limit, charged = self._cgroup.memory()
        return MachineMeter(
            window_seconds=after.at - before.at,
            processors=[_use(cpu, before.ticks[cpu], now) for cpu, now in after.ticks.items() if cpu in before.ticks],
            own_server_cpu_seconds=after.own[0] - before.own[0],
            own_load_cpu_seconds=after.own[1] - before.own[1],
            swapped_in_pages=_change(before.swapped[0], after.swapped[0]),
            swapped_out_pages=_change(before.swapped[1], after.swapped[1]),
            memory_total_bytes=memory.get("MemTotal:", 0) * KIB,
            memory_available_bytes=memory.get("MemAvailable:", 0) * KIB,
            memory_limit_bytes=limit,
            memory_charged_bytes=charged,
            quota_throttled_periods=_change(before.throttled[0], after.throttled[0]),
            quota_throttled_seconds=None
            if before.throttled[1] is None or after.throttled[1] is None
            else after.throttled[1] - before.throttled[1],
            thermal_throttles=_change(before.thermal, after.thermal),
            frequencies_hertz=self._frequencies(),
            pressure_seconds={
                name: seconds - before.pressure[name]
                for name, seconds in after.pressure.items()
                if name in before.pressure
            },
        )

    def _read(self) -> _Reading:
        vmstat = _table(self._root / "proc/vmstat")
        return _Reading(
            at=time.monotonic(),
            ticks=self._ticks(),
            own=self._own(),
            swapped=(vmstat.get("pswpin"), vmstat.get("pswpout")),
            throttled=self._cgroup.throttled(),
            thermal=self._thermal(),
            pressure=self._pressure(),
        )

    def _ticks(self) -> dict[int, tuple[int, int, int]]:
        found = {}
        with suppress(OSError, ValueError):
            for line in (self._root / "proc/stat").read_text().splitlines():
                name, *values = line.split()
                if name.startswith("cpu") and name != "cpu":
                    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(value) for value in values[:8])
                    found[int(name[3:])] = (user + nice + system, irq + softirq, steal)
        return found

    def _own(self) -> tuple[float, float]:
        server = load = 0.0
        lab = psutil.Process()
        for process in (lab, *lab.children(recursive=True)):
            with suppress(psutil.Error):
                times = process.cpu_times()
                seconds = times.user + times.system + times.children_user + times.children_system
                if set(process.cpu_affinity()) <= self._server_cpus:
                    server += seconds
                else:
                    load += seconds
        return server, load

    def _thermal(self) -> int | None:
        files = self._root.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
        with suppress(OSError, ValueError):
            counts = [int(file.read_text()) for file in files]
            return sum(counts) if counts else None
        return None

    def _frequencies(self) -> dict[int, float]:
        files = self._root.glob("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq")
        found = {}
        for file in files:
            with suppress(OSError, ValueError):
                found[int(file.parts[-3].removeprefix("cpu"))] = float(file.read_text()) * KILO
        return dict(sorted(found.items()))

    def _pressure(self) -> dict[str, float]:
        """The `some` lines' totals (Documentation/accounting/psi.rst); a kernel without PSI tells nothing."""
        found = {}
        for name in ("cpu", "memory", "io"):
            with suppress(OSError, ValueError):
                for line in (self._root / "proc/pressure" / name).read_text().splitlines():
                    if line.startswith("some"):
                        found[name] = int(line.rpartition("total=")[2]) * MICRO
        return found


def _use(cpu: int, before: tuple[int, int, int], after: tuple[int, int, int]) -> ProcessorUse:
    # A counter of ticks may step back by one when a processor goes idle (proc_stat(5)).
    busy, interrupts, steal = (max(now - then, 0) / TICKS_PER_SECOND for then, now in zip(before, after, strict=True))
    return ProcessorUse(cpu=cpu, busy_seconds=busy, interrupt_seconds=interrupts, steal_seconds=steal)


def _change(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def _table(file: Path) -> dict[str, int]:
    """Lines of a name and a number."""
    with suppress(OSError):
        return {words[0]: int(words[1]) for line in file.read_text().splitlines() if len(words := line.split()) >= 2}
    return {}
