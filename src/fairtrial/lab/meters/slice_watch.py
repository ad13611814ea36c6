"""A slice: what the server under load, those that are up beside it, and others used while it lasted."""

import resource
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fairtrial.engine.process_tree import CpuTimes, Root, cpu_seconds_below, processes_below
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
class Party:
    """All that is up for one condition: the guards, or containers, that its processes lie below."""

    server: Collection[Root]
    database: Collection[Root] = ()
    """of its own"""
    beside: Collection[Root] = ()
    """of its cache and its upstream"""
    proxies: Collection[Root] = ()
    """before its services, on the load engine's processors"""

    @property
    def services(self) -> list[Root]:
        """The services of its server, on the server's processors."""
        return [*self.database, *self.beside]

    def cpu_seconds(self) -> "IdleUse":
        """The processor time so far on the server's processors."""
        return IdleUse(sum(cpu_seconds_below(*self.server)), sum(cpu_seconds_below(*self.services)))


@dataclass(frozen=True)
class IdleUse:
    """Processor seconds of a condition that is asked nothing."""

    server: float = 0.0
    services: float = 0.0

    @property
    def total(self) -> float:
        """The sum of its server and its services."""
        return self.server + self.services

    def __sub__(self, other: "IdleUse") -> "IdleUse":
        return IdleUse(self.server - other.server, self.services - other.services)

    def __add__(self, other: "IdleUse") -> "IdleUse":
        return IdleUse(self.server + other.server, self.services + other.services)


@dataclass(frozen=True)
class SliceMeter:
    """The measurements in one slice."""

    server: ServerMeter
    machine: MachineMeter
    network: NetworkMeter
    idle: Sequence[IdleUse]
    """of each condition beside the one under load"""
    foreign_server_share: float
    """of the server's processors: what others than the lab used, other guests included, and the idle conditions"""
    foreign_engine_share: float
    """of the load engine's processors, without idle conditions, which are not on them"""
    database: ServerMeter | None = None
    """None: it has no processes"""


class _TreeTimes:
    """The processor time of one tree in the window."""

    def __init__(self, roots: Collection[Root]) -> None:
        self._times = CpuTimes(*roots)

    def open(self) -> None:
        self._before = self._times.read()

    def close(self) -> None:
        self._after = self._times.read()

    def look_for_newcomers(self) -> None:
        """Add what began in the window, and still runs: this takes longer than the window's end may."""
        self._came = self._times.of_newcomers()

    @property
    def user_and_system(self) -> tuple[float, float]:
        user, system = (
            after - before + came for before, after, came in zip(self._before, self._after, self._came, strict=True)
        )
        return user, system

    @property
    def seconds(self) -> float:
        return sum(self.user_and_system)


class SliceWatch:
    """Measures one slice from `open` to `close`.

    A slice is short, and the lab shares its processor with the load engine. So the process trees are looked through
    before the slice and after it, and the window's ends cost a few reads.

    Args:
        placement: the server's and the load engine's processors, which are disjoint.
        loaded: the condition under load.
        idle: each condition beside it.
        stray_threads: is shown the processes of the server under load when the slice has ended.
    """

    def __init__(
        self,
        placement: Placement,
        loaded: Party,
        idle: Sequence[Party],
        stray_threads: StrayThreadWatch | None = None,
    ) -> None:
        self._placement, self._loaded, self._stray_threads = placement, loaded, stray_threads
        self._server, self._database = _TreeTimes(loaded.server), _TreeTimes(loaded.database)
        self._beside, self._proxies = _TreeTimes(loaded.beside), _TreeTimes(loaded.proxies)
        self._idle = [(_TreeTimes(each.server), _TreeTimes(each.services)) for each in idle]
        of_idle = [tree for pair in self._idle for tree in pair]
        self._trees = [self._server, self._database, self._beside, self._proxies, *of_idle]
        self._machine = MachineWatch(placement.server_cpus, lab_seconds=lambda: (0.0, _seconds_of_lab()))
        self._network = NetworkWatch()

    def open(self) -> None:
        """Open the window."""
        self._network.open()
        self._machine.open()
        for tree in self._trees:
            tree.open()
        self._opened_at = time.monotonic()

    def close(self) -> None:
        """Close the window. The slice's load has ended, and nobody asks anything while this is read."""
        self._seconds = time.monotonic() - self._opened_at
        for tree in self._trees:
            tree.close()
        self._of_machine = self._machine.close()
        for tree in self._trees:
            tree.look_for_newcomers()
        self._of_network = self._network.close()

    def result(self, summary: EngineSummary) -> SliceMeter:
        """The measurements; the memory is that of now, so that reading it takes no time from the window.

        Args:
            summary: the engine's account of the slice, which knows best what the engine used.
        """
        idle = [IdleUse(server.seconds, services.seconds) for server, services in self._idle]
        of_engine = sum(thread.cpu_seconds for thread in summary.threads) + self._proxies.seconds
        of_idle = sum(each.total for each in idle)
        own = self._server.seconds + self._database.seconds + self._beside.seconds
        machine = self._of_machine.model_copy(
            update={
                "own_server_cpu_seconds": own + of_idle,
                "own_load_cpu_seconds": self._of_machine.own_load_cpu_seconds + of_engine,
            }
        )
        foreign = self._foreign(machine)
        share_of_idle = of_idle / len(self._placement.server_cpus) / self._seconds
        database = self._loaded.database
        return SliceMeter(
            server=self._metered(self._server, self._loaded.server, self._stray_threads),
            machine=machine,
            network=self._of_network,
            idle=idle,
            foreign_server_share=min(foreign["server"] + share_of_idle, 1.0),
            foreign_engine_share=min(foreign.get("load engine", 0.0), 1.0),
            database=self._metered(self._database, database) if database else None,
        )

    def _metered(
        self, times: _TreeTimes, roots: Collection[Root], stray_threads: StrayThreadWatch | None = None
    ) -> ServerMeter:
        meter = TreeMeter(*roots, stray_threads=stray_threads)
        memory = meter.sample_memory()
        user, system = times.user_and_system
        return ServerMeter(
            window_seconds=self._seconds,
            cpu_user_seconds=user,
            cpu_system_seconds=system,
            peak_rss_bytes=memory,
            processes=len(processes_below(*roots)),
            end_rss_bytes=memory or None,
            memory_kind=meter.memory_kind,
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
