"""Where trials take place, and on which processors: separate ones for load and server, where there are at least two."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from fairtrial.base.clock_offset import SAME_CLOCK, ClockOffset
from fairtrial.base.loopback import LOOPBACK
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.process import EngineStart, start_here
from fairtrial.experiment.model import Experiment
from fairtrial.record.model import Placement


@dataclass(frozen=True)
class Site:
    """Where trials take place, beside the processors of load and server: by default on this machine alone."""

    host: str = LOOPBACK
    """the IPv4 address of this machine on which stacks listen"""
    start: EngineStart = start_here
    """starts an engine where the load comes from"""
    lab_cpus: Sequence[int] = ()
    """the lab's own processors during a trial; empty: the load generator's"""
    progress_every_seconds: float = EnginePlan.model_fields["progress_every_seconds"].default
    """how often an engine tells how far it is"""
    engine_clock: Callable[[], ClockOffset] = lambda: SAME_CLOCK
    """compares the monotonic clock of the engine's host with this machine's"""

    def cpus_of_lab(self, placement: Placement) -> Sequence[int]:
        """The processors on which the lab keeps itself during a trial."""
        return self.lab_cpus or placement.load_cpus


THIS_MACHINE = Site()


def local_placement(cpus: Sequence[int] | None = None) -> Placement:
    """Share the processors this process may use (or `cpus`) between load and server.

    The load generator gets a quarter of them, at least one, from the end of the list; the server and its services get
    the rest. A single processor is shared by both, and the record says so.
    """
    allowed = sorted(os.sched_getaffinity(0)) if cpus is None else sorted(cpus)
    if len(allowed) == 1:
        return Placement(load_cpus=allowed, server_cpus=allowed, disjoint=False)
    load = max(1, len(allowed) // 4)
    return Placement(load_cpus=allowed[-load:], server_cpus=allowed[:-load], disjoint=True)


def planned_placement(experiment: Experiment) -> Placement:
    """`local_placement`, or the load generator on the server's processors, if the whole experiment asks for that.

    Where a sweep asks for it at one of its values, that is a matter of single trials.
    """
    return local_placement().of_kind(experiment.placement)


@contextmanager
def bound_to(cpus: Sequence[int]) -> Iterator[None]:
    """Keep the lab itself on these processors, so that it does not disturb the server while that is measured."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
