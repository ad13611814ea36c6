"""A slice: what the server under load, those that are up beside it, and others used while it lasted."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fairtrial.engine.process_tree import cpu_seconds_below, processes_below
from fairtrial.judge.checks.foreign_load import foreign_shares
from fairtrial.lab.meters.machine import MachineWatch
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.record.machine import MachineMeter, NetworkMeter
from fairtrial.record.model import Placement, ServerMeter


@dataclass(frozen=True)
class SliceMeter:
    """What was measured in one slice."""

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

    Args:
        placement: the server's and the load engine's processors, which are disjoint.
        loaded: the guards of the server under load.
        idle: the guards of each server beside it.
    """

    def __init__(self, placement: Placement, loaded: Collection[int], idle: Sequence[Collection[int]]) -> None:
        self._placement, self._loaded, self._idle = placement, loaded, idle
        self._machine, self._network = MachineWatch(placement.server_cpus), NetworkWatch()

    def open(self) -> None:
        """Open the window."""
        self._machine.open()
        self._network.open()
        self._opened_at = time.monotonic()
        self._before = self._used()

    def close(self) -> None:
        """Close the window."""
        self._after = self._used()
        self._seconds = time.monotonic() - self._opened_at
        self._of_network = self._network.close()
        self._of_machine = self._machine.close()

    def result(self) -> SliceMeter:
        """What was measured; the memory is that of now, so that reading it takes no time from the window."""
        loaded, *idle = (
            (after[0] - before[0], after[1] - before[1])
            for before, after in zip(self._before, self._after, strict=True)
        )
        idle_seconds = [user + system for user, system in idle]
        memory = TreeMeter(*self._loaded).sample_memory()
        server = ServerMeter(
            window_seconds=self._seconds,
            cpu_user_seconds=loaded[0],
            cpu_system_seconds=loaded[1],
            peak_rss_bytes=memory,
            processes=len(processes_below(*self._loaded)),
            end_rss_bytes=memory or None,
        )
        foreign = self._foreign()
        cpus = len(self._placement.server_cpus)
        return SliceMeter(
            server=server,
            machine=self._of_machine,
            network=self._of_network,
            idle_cpu_seconds=idle_seconds,
            foreign_server_share=foreign["server"] + sum(idle_seconds) / cpus / self._seconds,
            foreign_engine_share=foreign["load engine"],
        )

    def _used(self) -> list[tuple[float, float]]:
        return [cpu_seconds_below(*guards) for guards in (self._loaded, *self._idle)]

    def _foreign(self) -> dict[str, float]:
        """By role, the share of its processors that went to other processes or, as steal time, to other guests."""
        machine = self._of_machine
        shares = foreign_shares(machine, self._placement)
        cpus = {"server": self._placement.server_cpus, "load engine": self._placement.load_cpus}
        return {
            role: share + machine.steal_seconds(cpus[role]) / len(cpus[role]) / machine.window_seconds
            for role, share in shares.items()
        }
