"""Placement on one machine: separate processors for the load and for the server, where there are at least two."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fairtrial.experiment.model import Experiment
from fairtrial.lab.placement.topology import KINDS, ROOT, Core, cores_of
from fairtrial.record.placement import Placement

LOAD_SHARE = 4
"""The load generator gets one processor of so many."""


def local_placement(cpus: Sequence[int] | None = None, root: Path | None = ROOT) -> Placement:
    """Share the processors this process may use (or `cpus`) between load and server.

    The load generator gets a quarter of them, at least one, from the end of the list; the server and its services get
    the rest. What the kernel tells of them changes that:

    - Load and server have no core in common: the load gets whole cores, if there are two cores or more.
    - The server has cores of one kind only: the kind with the most processors, of equally many the faster one.
    - The server keeps to one NUMA node, if that has at least half of these.
    - If enough is left for the load of one kind and on one node, of the server's kind if possible, it is put there.
      What is then left has neither.

    A single processor is shared by both, and the record says so, as it says what could not be held apart.

    Args:
        root: of the file system; None: nothing is known of the processors, which are another machine's.
    """
    allowed = sorted(os.sched_getaffinity(0)) if cpus is None else sorted(cpus)
    if len(allowed) == 1:
        return Placement(load_cpus=allowed, server_cpus=allowed, disjoint=False)
    cores = cores_of(allowed, root)
    load_size = max(1, len(allowed) // LOAD_SHARE)
    for_server = _on_one_node(_of_one_kind(cores))
    for_load = _apart_from(for_server, cores, load_size)
    if not for_load and len(for_server) > 1:
        # Cores with fewer threads last: the load takes these, and the server keeps the largest.
        by_size = sorted(for_server, key=lambda core: -len(core.cpus))
        for_load = _last(by_size[1:], load_size)
        for_server = [core for core in for_server if core not in for_load]
    if not for_load:  # a single core
        (core,) = for_server
        return _described(core.cpus[-load_size:], core.cpus[:-load_size], allowed, cores)
    return _described(_cpus(for_load), _cpus(for_server), allowed, cores)


def planned_placement(experiment: Experiment) -> Placement:
    """`local_placement`, or the load generator on the server's processors, if the whole experiment asks for that.

    Where a sweep asks for it at one of its values, that is a matter of single trials. Nobody offers load to a program:
    the processors that a load has elsewhere go to the services then, so that none idles beside a crowded one.
    """
    return placed_for(experiment, local_placement())


def placed_for(experiment: Experiment, placement: Placement) -> Placement:
    """A machine's placement as `planned_placement` changes it for an experiment."""
    placement = placement.of_kind(experiment.placement)
    return placement.without_load() if experiment.load.kind == "program" else placement


@contextmanager
def bound_to(cpus: Sequence[int]) -> Iterator[None]:
    """Keep the lab itself on these processors, so that it does not disturb the server while that is measured."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _of_one_kind(cores: Sequence[Core]) -> list[Core]:
    """Those of the kind with the most processors, of equally many the faster one."""
    kinds = {core.kind: [each for each in cores if each.kind == core.kind] for core in cores}
    kind = max(kinds, key=lambda kind: (len(_cpus(kinds[kind])), -_rank(kind)))
    return kinds[kind]


def _rank(kind: str) -> int:
    """The rank of a kind of core among the others, the fastest lowest."""
    return KINDS.index(kind) if kind in KINDS else 0


def _on_one_node(cores: list[Core]) -> list[Core]:
    """Those of the node with the most processors, of equally many the first, if it has half of them; else all."""
    nodes = {core.node: [each for each in cores if each.node == core.node] for core in cores}
    largest = max(nodes.values(), key=lambda group: len(_cpus(group)))
    return largest if 2 * len(_cpus(largest)) >= len(_cpus(cores)) else cores


def _apart_from(server: Sequence[Core], cores: Sequence[Core], processors: int) -> list[Core]:
    """Cores for the load of which the server has none, of one kind and on one node; empty: there are not enough.

    Where the server has left nothing else, the largest of such groups is taken, however small, before a core is split.
    """
    left = [core for core in cores if core not in server]
    groups: dict[tuple[str, int | None], list[Core]] = {}
    for core in left:
        groups.setdefault((core.kind, core.node), []).append(core)
    enough = {key: group for key, group in groups.items() if len(_cpus(group)) >= processors}
    if not enough and len(server) == 1 and groups:
        return max(groups.values(), key=lambda group: len(_cpus(group)))
    kind = server[0].kind
    best = min(enough, key=lambda key: (key[0] != kind, _rank(key[0])), default=None)
    return [] if best is None else _last(enough[best], processors)


def _last(cores: Sequence[Core], processors: int) -> list[Core]:
    """The last of these cores, so many that they have as many processors, or all."""
    last: list[Core] = []
    for core in reversed(cores):
        if len(_cpus(last)) < processors:
            last.insert(0, core)
    return last


def _cpus(cores: Sequence[Core]) -> list[int]:
    return sorted(cpu for core in cores for cpu in core.cpus)


def _described(load: Sequence[int], server: Sequence[int], allowed: Sequence[int], cores: Sequence[Core]) -> Placement:
    """The placement, with what is known of its processors."""
    of_load = [core for core in cores if set(core.cpus) & set(load)]
    of_server = [core for core in cores if set(core.cpus) & set(server)]
    several = len({core.node for core in cores}) > 1
    return Placement(
        load_cpus=list(load),
        server_cpus=list(server),
        disjoint=True,
        shared_cores=[list(core.cpus) for core in of_load if core in of_server],
        load_kind=of_load[0].kind,
        server_kind=of_server[0].kind,
        load_nodes=sorted({core.node for core in of_load if several and core.node is not None}),
        server_nodes=sorted({core.node for core in of_server if several and core.node is not None}),
        unused_cpus=[cpu for cpu in allowed if cpu not in load and cpu not in server],
    )
