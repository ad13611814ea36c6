"""Lanes of a running cluster, from the workers that there are to the tasks of their labs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.cluster.connection import Cluster, host_of
from fairtrial.cluster.fitness import facts_of_fit
from fairtrial.cluster.hosts import Facts, worker_facts
from fairtrial.cluster.roles import roles_of
from fairtrial.lab.lanes.divide import Division, Lane, Worker, divide
from fairtrial.lab.lanes.remote_lane import Inbox, RemoteLane, started_lane
from fairtrial.lab.lanes.task import LaneTask, SentPlan
from fairtrial.lab.placement import local_placement
from fairtrial.record.model import LaneHost, Placement


@dataclass(frozen=True)
class ClusterLanes:
    """The lanes of a cluster, and the facts of all workers, by their addresses."""

    division: Division
    facts: Mapping[str, Facts]

    def described(self) -> list[str]:
        """Each lane in words, and what is to be known of them."""
        lines = [self._lane(lane) for lane in self.division.lanes]
        if self.division.unused:
            unused = ", ".join(printable(worker.address, 60) for worker in self.division.unused)
            lines.append(f"in no lane: {unused}")
        return [*lines, *self._shared()]

    def _lane(self, lane: Lane) -> str:
        if lane.load is None:
            return f"lane {lane.number}: server and load on {self._name(lane.server)}"
        return f"lane {lane.number}: server on {self._name(lane.server)}, load from {self._name(lane.load)}"

    def _name(self, worker: Worker) -> str:
        facts = self.facts[worker.address]
        cpus = ",".join(map(str, facts.cpus))
        return f"{printable(facts.host, 40)} ({printable(worker.address, 60)}, processors {cpus})"

    def _shared(self) -> list[str]:
        """Which lanes would disturb each other, or themselves, on one machine."""
        notes = []
        for lane in self.division.lanes:
            if lane.load is not None and lane.load.machine == lane.server.machine:
                notes.append(f"lane {lane.number}: load and server share a machine")
        by_machine: dict[str, set[int]] = {}
        for lane in self.division.lanes:
            for worker in lane.workers:
                by_machine.setdefault(worker.machine, set()).add(lane.number)
        for numbers in by_machine.values():
            if len(numbers) > 1:
                listed = ", ".join(map(str, sorted(numbers)))
                notes.append(f"lanes {listed} share a machine: they disturb each other, and figures are worth less")
        return list(dict.fromkeys(notes))


def lanes_of(cluster: Cluster, most: int | None) -> ClusterLanes:
    """Divide the workers of a cluster into lanes.

    Raises:
        Problem: there is no lane, a worker that is in one has other versions or does not answer, or Dask may do things
            twice.
    """
    known = cluster.workers()
    workers = [
        Worker(address, roles_of(told["resources"]), worker_facts(cluster, address).boot_id)
        for address, told in known.items()
    ]
    division = divide(workers, most)
    used = [worker.address for lane in division.lanes for worker in lane.workers]
    return ClusterLanes(division, facts_of_fit(cluster, used))


def start_lanes(
    cluster: Cluster, lanes: ClusterLanes, plan: SentPlan, inbox: Inbox, *, unencrypted: bool, wait: bool
) -> list[RemoteLane]:
    """Start the lab of each lane.

    Args:
        unencrypted: whether connections without TLS may leave a machine.
        wait: while another lab measures on a lane's processors; false: such a lane is left out.
    """
    held: dict[str, set[int]] = {}
    started = []
    for lane in lanes.division.lanes:
        facts = [lanes.facts[worker.address] for worker in lane.workers]
        placement, lab_cpus = placement_of(facts[0], facts[1] if lane.load else None)
        machine = held.setdefault(facts[0].boot_id, set())
        measuring = {*placement.server_cpus, *placement.load_cpus_here, *lab_cpus}
        task = LaneTask(
            lane=lane.number,
            host=host_of(lane.server.address),
            placement=placement,
            lab_cpus=list(lab_cpus),
            held_cpus=sorted(measuring - machine),
            wait=wait,
            load_worker=lane.load.address if lane.load else "",
            scheduler=cluster.address,
            unencrypted=unencrypted,
            plan=plan,
        )
        machine |= measuring
        started.append(started_lane(cluster, lane.server.address, task, _hosts(lane, facts), inbox))
    return started


def placement_of(server: Facts, load: Facts | None) -> tuple[Placement, Sequence[int]]:
    """The processors of load and server in a lane, and the lab's own.

    On a host of its own the load takes all processors. The lab keeps to the last processor of the server's host, and
    the server has the others. Processors of one machine are shared out as without a cluster.

    Args:
        load: of the load's host; None: it comes from the server's worker.
    """
    allowed = sorted(server.cpus)
    is_beside = load is not None and load.boot_id == server.boot_id
    if load is None or (is_beside and set(load.cpus) & set(allowed)):
        together = local_placement(sorted({*allowed, *(load.cpus if load else ())}))
        return together, together.load_cpus
    placement = Placement(
        load_cpus=sorted(load.cpus),
        server_cpus=allowed[:-1] or allowed,
        disjoint=True,
        load_elsewhere=not is_beside,
    )
    return placement, allowed[-1:]


def _hosts(lane: Lane, facts: Sequence[Facts]) -> list[LaneHost]:
    hosts = []
    for worker, its in zip(lane.workers, facts, strict=True):
        roles = ["load"] if worker is not lane.server else ["server"] if lane.load else ["server", "load"]
        hosts.append(
            LaneHost(worker=worker.address, name=its.host, machine=its.boot_id, roles=roles, cpus=list(its.cpus))
        )
    return hosts


def in_words(lanes: ClusterLanes) -> str:
    """`2 lanes of 3 hosts`."""
    each = len(lanes.division.lanes[0].workers)
    return f"{count(len(lanes.division.lanes), 'lane')} of {count(each, 'host')}"
