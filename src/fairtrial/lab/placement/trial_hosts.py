"""The hosts of trials: where they take place, and where their load comes from."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from fairtrial.base.clock_offset import SAME_CLOCK, ClockOffset
from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.model import RunningService, Service
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.process import EngineStart, start_here
from fairtrial.record.load_hosts import LoadHostAccount
from fairtrial.record.placement import Placement

StartService = Callable[[Service, int, bool], AbstractContextManager[RunningService]]
"""`up(service, point, with_tables)` brings a service up, with the tables of the plan's point at this place or
with none, and down at the end; raises Problem"""


class RunningBalancer(Protocol):
    """A balancer that runs in front of a stack."""

    host: str
    """the IPv4 address at which it listens"""
    port: int

    @property
    def pid(self) -> int | None:
        """The guard below which it runs; None: on another host."""

    def fault(self) -> str | None:
        """Why it no longer serves, or None."""

    def stop(self) -> None:
        """Stop it."""


StartBalancer = Callable[[Sequence[int], str], AbstractContextManager[RunningBalancer]]
"""`start_balancer(ports, stacks_host)` brings the plan's balancer up before servers at these ports of that address, and
down again; raises Problem"""


@dataclass(frozen=True)
class TrialHosts:
    """The hosts on which trials take place, beside the processors of load and server: by default this machine alone."""

    host: str = LOOPBACK
    """the IPv4 address of this machine on which stacks listen"""
    start: EngineStart = start_here
    """starts an engine where the load comes from; of several hosts, one on each, which share the plan"""
    start_on: Callable[[int], EngineStart] | None = None
    """starts an engine on one of several hosts, from 0; None: there is one"""
    load_hosts: Callable[[], Sequence[LoadHostAccount]] = list
    """what each of several hosts did in the last run"""
    lab_cpus: Sequence[int] = ()
    """the lab's own processors during a trial; empty: the load generator's"""
    progress_every_seconds: float = EnginePlan.model_fields["progress_every_seconds"].default
    """how often an engine tells how far it is"""
    events_late_seconds: float = 0.0
    """how long after an engine has said something the lab may hear of it"""
    engine_clock: Callable[[], ClockOffset] = lambda: SAME_CLOCK
    """compares the monotonic clock of the engine's host with this machine's"""

    start_service: StartService | None = None
    """brings up those services that stand on a host of their own; None: all are on this machine"""

    start_balancer: StartBalancer | None = None
    """brings the balancer up on a host of its own; None: it is on this machine"""

    @property
    def has_load_here(self) -> bool:
        """Whether the load comes from this machine."""
        return self.start is start_here

    def start_at(self, placement: Placement, place: int) -> EngineStart:
        """Starts an engine on the host that has the processor at this place of the placement's `load_cpus`."""
        if self.start_on is None:
            return self.start
        return self.start_on(place // (len(placement.load_cpus) // placement.load_hosts))

    def cpus_of_lab(self, placement: Placement) -> Sequence[int]:
        """The processors on which the lab keeps itself during a trial."""
        return self.lab_cpus or placement.load_cpus


THIS_MACHINE = TrialHosts()
