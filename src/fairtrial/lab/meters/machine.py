"""The machine: what it is, and what it did in a window (processors, swap, memory, quota, heat, pressure)."""

import hashlib
import hmac
import os
import platform
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from fairtrial.base.printable import printable
from fairtrial.engine.container_tree import ContainerTree
from fairtrial.engine.process_tree import Root
from fairtrial.lab.meters.cgroup import Cgroup
from fairtrial.lab.meters.kernel_threads import KernelThreads, KernelThreadTimes
from fairtrial.record.identity import Host
from fairtrial.record.machine import MachineMeter, ProcessorUse

ROOT = Path("/")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
KIB, KILO, MICRO = 1024, 1000, 1e-6


@dataclass(frozen=True)
class _Reading:
    at: float
    ticks: dict[int, tuple[int, int, int]]
    """ticks by processor: busy, interrupts, steal"""
    lab_seconds: tuple[float, float]
    """CPU seconds of the lab's process tree: on the server's processors, and elsewhere"""
    swapped: tuple[int | None, int | None]
    throttled: tuple[int | None, float | None]
    thermal: int | None
    clocks: dict[int, float]
    """by processor, its frequency at this moment, in hertz"""
    paces: dict[int, dict[float, float]]
    """by processor, for how long it has had each frequency so far, in units of 10 ms"""
    pressure: dict[str, float]
    kernel_threads: KernelThreads | None


class MachineWatch:
    """Measures the machine from `open` to `close`.

    Args:
        server_cpus: processes of the lab's tree that are bound to these processors only count as the server's side.
        root: the folder that holds `proc` and `sys`; tests pass another.
        own: tells the CPU seconds of the lab's processes on the server's processors, and elsewhere; None: its whole
            tree is looked through, which takes milliseconds, and `beside` is added. With it, the kernel's threads,
            which take as long, are left out.
        beside: of the trees on the server's side, those that a daemon started are not below the lab.
    """

    def __init__(
        self,
        server_cpus: Collection[int],
        root: Path = ROOT,
        lab_seconds: Callable[[], tuple[float, float]] | None = None,
        beside: Iterable[Root] = (),
    ) -> None:
        self._server_cpus = set(server_cpus)
        self._containers = [tree for tree in beside if isinstance(tree, ContainerTree)]
        self._lab_seconds = lab_seconds or self._of_tree
        self._with_kernel_threads = lab_seconds is None
        self._root = root
        self._cgroup = Cgroup(root)

    def open(self) -> None:
        """Open the window."""
        self._before = self._read()

    def close(self) -> MachineMeter:
        """Close the window and return what happened in it."""
        before, after = self._before, self._read()
        memory = _table(self._root / "proc/meminfo")
        kernel = _of_kernel(before.kernel_threads, after.kernel_threads)
        limit, charged = self._cgroup.memory()
        return MachineMeter(
            window_seconds=after.at - before.at,
            processors=[
                _use(cpu, before.ticks[cpu], now, None if kernel is None else kernel.by_cpu.get(cpu, 0.0))
                for cpu, now in after.ticks.items()
                if cpu in before.ticks
            ],
            kernel_threads={} if kernel is None else {printable(name): used for name, used in kernel.by_name.items()},
            own_server_cpu_seconds=after.lab_seconds[0] - before.lab_seconds[0],
            own_load_cpu_seconds=after.lab_seconds[1] - before.lab_seconds[1],
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
            frequencies_hertz=_frequencies(before, after),
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
            lab_seconds=self._lab_seconds(),
            swapped=(vmstat.get("pswpin"), vmstat.get("pswpout")),
            throttled=self._cgroup.throttled(),
            thermal=self._thermal(),
            clocks=self._clocks(),
            paces=self._paces(),
            pressure=self._pressure(),
            kernel_threads=KernelThreads(self._root) if self._with_kernel_threads else None,
        )

    def _ticks(self) -> dict[int, tuple[int, int, int]]:
        ticks = {}
        with suppress(OSError, ValueError):
            for line in (self._root / "proc/stat").read_text().splitlines():
                name, *values = line.split()
                if name.startswith("cpu") and name != "cpu":
                    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(value) for value in values[:8])
                    ticks[int(name[3:])] = (user + nice + system, irq + softirq, steal)
        return ticks

    def _of_tree(self) -> tuple[float, float]:
        server = load = 0.0
        lab = psutil.Process()
        below = lab.children(recursive=True)
        for process in (lab, *below):
            with suppress(psutil.Error):
                times = process.cpu_times()
                seconds = times.user + times.system + times.children_user + times.children_system
                if set(process.cpu_affinity()) <= self._server_cpus:
                    server += seconds
                else:
                    load += seconds
        pids = {process.pid for process in below}
        server += sum(sum(each.cpu_seconds()) for each in self._containers if each.pid not in pids)
        return server, load

    def _thermal(self) -> int | None:
        files = self._root.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
        with suppress(OSError, ValueError):
            counts = [int(file.read_text()) for file in files]
            return sum(counts) if counts else None
        return None

    def _clocks(self) -> dict[int, float]:
        hertz = {}
        for cpu, text in self._of_each_processor("scaling_cur_freq"):
            with suppress(ValueError):
                hertz[cpu] = float(text) * KILO
        return hertz

    def _paces(self) -> dict[int, dict[float, float]]:
        """Documentation/cpu-freq/cpufreq-stats.rst: lines of a frequency in kHz, and the time spent at it."""
        paces = {}
        for cpu, text in self._of_each_processor("stats/time_in_state"):
            with suppress(ValueError):
                lines = (line.split() for line in text.splitlines())
                paces[cpu] = {float(hertz) * KILO: float(time) for hertz, time in lines}
        return paces

    def _of_each_processor(self, name: str) -> Iterator[tuple[int, str]]:
        for folder in self._root.glob("sys/devices/system/cpu/cpu[0-9]*/cpufreq"):
            with suppress(OSError, ValueError):
                yield int(folder.parts[-2].removeprefix("cpu")), (folder / name).read_text()

    def _pressure(self) -> dict[str, float]:
        """Totals of the `some` lines (Documentation/accounting/psi.rst), in seconds; empty for a kernel without PSI."""
        seconds = {}
        for name in ("cpu", "memory", "io"):
            with suppress(OSError, ValueError):
                for line in (self._root / "proc/pressure" / name).read_text().splitlines():
                    if line.startswith("some"):
                        seconds[name] = int(line.rpartition("total=")[2]) * MICRO
        return seconds


def _of_kernel(before: KernelThreads | None, after: KernelThreads | None) -> KernelThreadTimes | None:
    """The use of the kernel's threads between two readings; None where one shows none."""
    return after.since(before) if before and after else None


def _use(cpu: int, before: tuple[int, int, int], after: tuple[int, int, int], of_kernel: float | None) -> ProcessorUse:
    # A counter of ticks may step back by one when a processor goes idle (proc_stat(5)).
    busy, interrupts, steal = (max(now - then, 0) / TICKS_PER_SECOND for then, now in zip(before, after, strict=True))
    return ProcessorUse(
        cpu=cpu, busy_seconds=busy, interrupt_seconds=interrupts, steal_seconds=steal, kernel_thread_seconds=of_kernel
    )


def _frequencies(before: _Reading, after: _Reading) -> dict[int, float]:
    """By processor, its mean frequency over the window; where the kernel keeps no times, that of both of its ends."""
    hertz = {cpu: (before.clocks.get(cpu, now) + now) / 2 for cpu, now in after.clocks.items()}
    for cpu, times in after.paces.items():
        spent = {each: time - before.paces.get(cpu, {}).get(each, 0.0) for each, time in times.items()}
        total = sum(spent.values())
        if total > 0:
            hertz[cpu] = sum(each * time for each, time in spent.items()) / total
    return dict(sorted(hertz.items()))


def _change(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before


def _table(file: Path) -> dict[str, int]:
    """A file of lines with a name and a number."""
    with suppress(OSError):
        return {
            words[0]: int(words[1])
            for line in file.read_text(encoding="utf-8").splitlines()
            if len(words := line.split()) >= 2
        }
    return {}


def host_properties() -> Host:
    """The properties of this machine that affect its figures. It contains no names of machines or users."""
    return Host(
        system=_operating_system(),
        kernel=platform.release(),
        cpu_model=_cpu_model(),
        cpus=len(os.sched_getaffinity(0)),
        memory_bytes=psutil.virtual_memory().total,
        python=platform.python_version(),
        machine=_machine_digest(),
    )


def _machine_digest() -> str | None:
    """As machine-id(5) asks for: a digest with a key of this program's own, as the id itself is confidential."""
    with suppress(OSError):
        if identity := Path("/etc/machine-id").read_text(encoding="utf-8").strip():
            return hmac.new(identity.encode(), b"fairtrial", hashlib.sha256).hexdigest()[:32]
    return None


def _operating_system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )
