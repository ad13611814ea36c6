"""A slice: what the server under load, those that are up beside it, and others used while it lasted."""

import resource
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fairtrial.engine.process_tree import CpuTimes, Root, processes_below
from fairtrial.judge.checks.foreign_load import foreign_shares
from fairtrial.lab.meters.machine import MachineWatch
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.lab.meters.stray_threads import StrayThreadWatch
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.machine import MachineMeter, NetworkMeter
from fairtrial.record.placement import Placement
from fairtrial.record.processes import ServerMeter


@dataclass(frozen=True)
class SliceMeter:
    """The measurements in one slice."""

    server: ServerMeter
    machine: MachineMeter
    network: NetworkMeter
    idle_cpu_seconds: Sequence[float]
    """of each of the servers beside the one under load"""
    foreign_server_share: float
    """of the server's processors: what others than the lab used, other guests included, and the idle servers"""
    foreign_engine_share: float
    """of the load engine's processors, without idle servers, which are not on them"""


class SliceWatch:
    """Measures one slice from `open` to `close`.

    A slice is short, and the lab shares its processor with the load engine. So the process trees are looked through
    before the slice and after it, and the window's ends cost a few reads.

    Args:
        placement: the server's and the load engine's processors, which are disjoint.
        loaded: the guards, or containers, of the server under load.
        idle: the guards of each server beside it.
        stray_threads: is shown the processes of the server under load when the slice has ended.
    """

    def __init__(
        self,
        placement: Placement,
        loaded: Collection[Root],
        idle: Sequence[Collection[Root]],
        stray_threads: StrayThreadWatch | None = None,
    ) -> None:
        self._placement, self._loaded, self._stray_threads = placement, loaded, stray_threads
        self._trees = [CpuTimes(*guards) for guards in (loaded, *idle)]
        self._machine = MachineWatch(placement.server_cpus, lab_seconds=lambda: (0.0, _seconds_of_lab()))
        self._network = NetworkWatch()

    def open(self) -> None:
        """Open the window."""
        self._network.open()
        self._machine.open()
        self._before = [tree.read() for tree in self._trees]
        self._opened_at = time.monotonic()

    def close(self) -> None:
        """Close the window. The slice's load has ended, and nobody asks anything while this is read."""
        self._seconds = time.monotonic() - self._opened_at
        self._after = [tree.read() for tree in self._trees]
        self._of_machine = self._machine.close()
        self._came = [tree.of_newcomers() for tree in self._trees]
        self._of_network = self._network.close()

    def result(self, summary: EngineSummary) -> SliceMeter:
        """The measurements; the memory is that of now, so that reading it takes no time from the window.

        Args:
            summary: the engine's account of the slice, which knows best what the engine used.
        """
        used = [
            (after[0] - before[0] + came[0], after[1] - before[1] + came[1])
            for before, after, came in zip(self._before, self._after, self._came, strict=True)
        ]
        user, system = used[0]
        idle = [sum(each) for each in used[1:]]
        of_engine = sum(thread.cpu_seconds for thread in summary.threads)
        machine = self._of_machine.model_copy(
            update={
                "own_server_cpu_seconds": sum(map(sum, used)),
                "own_load_cpu_seconds": self._of_machine.own_load_cpu_seconds + of_engine,
            }
        )
        meter = TreeMeter(*self._loaded, stray_threads=self._stray_threads)
        memory = meter.sample_memory()
        server = ServerMeter(
            window_seconds=self._seconds,
            cpu_user_seconds=user,
            cpu_system_seconds=system,
            peak_rss_bytes=memory,
            processes=len(processes_below(*self._loaded)),
            end_rss_bytes=memory or None,
            memory_kind=meter.memory_kind,
        )
        foreign = self._foreign(machine)
        of_idle = sum(idle) / len(self._placement.server_cpus) / self._seconds
        return SliceMeter(
            server=server,
            machine=machine,
            network=self._of_network,
            idle_cpu_seconds=idle,
            foreign_server_share=min(foreign["server"] + of_idle, 1.0),
            foreign_engine_share=min(foreign.get("load engine", 0.0), 1.0),
        )

    def _foreign(self, machine: MachineMeter) -> dict[str, float]:
        """By role, the share of its processors that went to other processes or, as steal time, to other guests.

        The kernel counts in ticks of 10 ms, so that in short windows it may come to more than there is.
        """
        shares = foreign_shares(machine, self._placement)
        cpus = {"server": self._placement.server_cpus, "load engine": self._placement.load_cpus}
        return {
            role: share + machine.steal_seconds(cpus[role]) / len(cpus[role]) / machine.window_seconds
            for role, share in shares.items()
        }


def _seconds_of_lab() -> float:
    """Processor time of this process, without those below it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
