"""Placement on one machine: separate processors for the load and for the server, where there are at least two."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fairtrial.experiment.model import Experiment
from fairtrial.record.model import Placement


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
