"""Lanes of a running cluster, from the workers that there are to the tasks of their labs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import count, figure_in
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.units import UNITS
from fairtrial.cluster.clocks import clock_of
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.fitness import assert_fit, worker_facts
from fairtrial.cluster.lab import Message, RemoteLab
from fairtrial.cluster.roles import roles_of
from fairtrial.lab.lanes.divide import APART, Division, Lane, Worker, divide
from fairtrial.lab.lanes.remote_lane import Inbox, RemoteLane
from fairtrial.lab.lanes.task import LaneTask, SentPlan
from fairtrial.lab.placement import local_placement
from fairtrial.record.model import ApartRole, LaneHost, Placement


@dataclass(frozen=True)
class ClusterLanes:
    """The lanes of a cluster."""

    division: Division
    clocks: Mapping[str, ClockOffset] = field(default_factory=dict)
    """of load hosts that share a load, how far their clocks are ahead of that of this machine"""

    @property
    def load_hosts(self) -> int:
        """From how many hosts the load of each lane comes."""
        return len(self.division.lanes[0].loads) or 1

    @property
    def load_processors(self) -> int:
        """How many processors each load host has for its engine: as many as the one with the fewest."""
        placements = [placement_of(lane.server, *lane.loads)[0] for lane in self.division.lanes]
        return min(len(placement.load_cpus) // placement.load_hosts for placement in placements)

    @property
    def roles_apart(self) -> list[ApartRole]:
        """For which each lane has a host, beside server and load."""
        first = self.division.lanes[0]
        hosts: Mapping[ApartRole, Worker | None] = {"service": first.service, "balancer": first.balancer}
        return [role for role, worker in hosts.items() if worker is not None]

    def described(self) -> list[str]:
        """Each lane in words, and what is to be known of them."""
        lines = [self._lane(lane) for lane in self.division.lanes]
        if self.division.unused:
            unused = ", ".join(printable(worker.address, 60) for worker in self.division.unused)
            lines.append(f"in no lane: {unused}")
        return [*lines, *self._shared()]

    def _lane(self, lane: Lane) -> str:
        further = (("services", lane.service), ("balancer", lane.balancer))
        apart = "".join(f", {what} on {self._name(worker)}" for what, worker in further if worker is not None)
        if not lane.loads:
            return f"lane {lane.number}: server and load on {self._name(lane.server)}{apart}"
        loads = " and from ".join(self._name(load) for load in lane.loads)
        return f"lane {lane.number}: server on {self._name(lane.server)}, load from {loads}{apart}"

    def _name(self, worker: Worker) -> str:
        cpus = ",".join(map(str, worker.cpus))
        clock = self.clocks.get(worker.address)
        ahead = "" if clock is None else f", clock {_offset_in_words(clock)}"
        return f"{printable(worker.host, 40)} ({printable(worker.address, 60)}, processors {cpus}{ahead})"

    def _shared(self) -> list[str]:
        """The lanes that would disturb each other, or themselves, on one machine."""
        notes = []
        for lane in self.division.lanes:
            if any(load.machine == lane.server.machine for load in lane.loads):
                notes.append(f"lane {lane.number}: load and server share a machine")
            for what, worker in (("services", lane.service), ("the balancer", lane.balancer)):
                others = {each.machine for each in lane.workers if each is not worker}
                if worker is not None and worker.machine in others:
                    notes.append(f"lane {lane.number}: another of its hosts is on the machine of {what}")
        by_machine: dict[str, set[int]] = {}
        for lane in self.division.lanes:
            for worker in lane.workers:
                by_machine.setdefault(worker.machine, set()).add(lane.number)
        for numbers in by_machine.values():
            if len(numbers) > 1:
                lanes = ", ".join(map(str, sorted(numbers)))
                notes.append(f"lanes {lanes} share a machine: they disturb each other, and figures are worth less")
        return list(dict.fromkeys(notes))


def lanes_of(
    cluster: Cluster, most: int | None, load_hosts: int = 1, *, apart: Sequence[ApartRole] = APART
) -> ClusterLanes:
    """Divide the workers of a cluster into lanes.

    Args:
        most: so many lanes; None: all that there can be.
        load_hosts: of each lane.
        apart: as `divide` has it.

    Raises:
        Problem: there is no lane, a worker that is in one has other versions or does not answer, load hosts of a lane
            share processors, or Dask may do things twice.
    """
    states = cluster.workers()
    facts = {address: worker_facts(cluster, address) for address in states}
    workers = [
        Worker(address, roles_of(states[address]["resources"]), its.boot_id, its.host, tuple(its.cpus))
        for address, its in facts.items()
    ]
    division = divide(workers, most, load_hosts, apart=apart)
    assert_fit(cluster, {each.address: facts[each.address] for lane in division.lanes for each in lane.workers})
    for lane in division.lanes:
        assert_disjoint_cpus(lane)
    sharing = [load.address for lane in division.lanes for load in lane.loads if len(lane.loads) > 1]
    return ClusterLanes(division, {address: clock_of(cluster, address) for address in sharing})


def assert_disjoint_cpus(lane: Lane) -> None:
    """Refuse load hosts that share processors: nobody could tell which of them had how much of one.

    On the server's machine, where everything is shared anyway and figures are worth less, they may.

    Raises:
        Problem: two do.
    """
    processors: set[tuple[str, int]] = set()
    for load in lane.loads:
        its = {(load.machine, cpu) for cpu in load.cpus}
        if its & processors and load.machine != lane.server.machine:
            raise Problem(
                f"lane {lane.number}: {printable(load.address, 60)} shares processors with another of its load hosts",
                "start workers of one machine on processors of their own (taskset), or ask for fewer: --load-hosts",
                NOTHING_RAN,
            )
        processors |= its


def start_lanes(
    cluster: Cluster, lanes: ClusterLanes, plan: SentPlan, inbox: Inbox, *, unencrypted: bool, wait: bool
) -> list[RemoteLane]:
    """Start the lab of each lane.

    Args:
        unencrypted: whether connections without TLS may leave a machine.
        wait: while another lab measures on a lane's processors; false: such a lane is left out.
    """
    measured_on: set[tuple[str, int]] = set()

    def newly_held(worker: Worker, cpus: Iterable[int]) -> list[int]:
        """Processors of its machine that no lane before has."""
        new = {cpu for cpu in cpus if (worker.machine, cpu) not in measured_on}
        measured_on.update((worker.machine, cpu) for cpu in new)
        return sorted(new)

    started = []
    for lane in lanes.division.lanes:
        placement, lab_cpus = placement_of(lane.server, *lane.loads)
        held_cpus = {
            lane.server.address: newly_held(lane.server, [*placement.server_cpus, *placement.load_cpus_here, *lab_cpus])
        }
        for worker in (lane.service, lane.balancer):
            if worker is not None and worker.address not in held_cpus:
                held_cpus[worker.address] = newly_held(worker, worker.cpus)
        task = LaneTask(
            lane=lane,
            placement=placement,
            lab_cpus=lab_cpus,
            held_cpus=held_cpus,
            wait=wait,
            scheduler=cluster.address,
            unencrypted=unencrypted,
            plan=plan,
        )
        hear = partial(_put, inbox, lane.number)
        lab = RemoteLab(cluster, lane.server.address, task, hear, is_client=True)
        started.append(RemoteLane(lane.number, _hosts(lane), lab))
    return started


def _put(inbox: Inbox, lane: int, message: Message) -> None:
    inbox.put((lane, message))


def placement_of(server: Worker, *loads: Worker) -> tuple[Placement, Sequence[int]]:
    """The processors of load and server in a lane, and the lab's own.

    On a host of its own the load takes all processors, of several hosts as many on each as on the one with the fewest.
    The lab keeps to the last processor of the server's host, and the server has the others. Processors of one machine
    are shared out as without a cluster; then several load hosts have the same.

    Args:
        loads: the load hosts; none: it comes from the server's worker.
    """
    allowed, hosts = sorted(server.cpus), max(1, len(loads))
    of_loads = {cpu for load in loads for cpu in load.cpus}
    is_beside = any(load.machine == server.machine for load in loads)
    if not loads or (is_beside and of_loads & set(allowed)):
        together = local_placement(sorted({*allowed, *of_loads}))
        return (
            together.model_copy(update={"load_cpus": together.load_cpus * hosts, "load_hosts": hosts}),
            together.load_cpus,
        )
    fewest = min(len(load.cpus) for load in loads)
    placement = Placement(
        load_cpus=[cpu for load in loads for cpu in sorted(load.cpus)[:fewest]],
        server_cpus=allowed[:-1] or allowed,
        disjoint=True,
        load_elsewhere=not is_beside,
        load_hosts=hosts,
    )
    return placement, allowed[-1:]


def _hosts(lane: Lane) -> list[LaneHost]:
    apart = {"service": lane.service, "balancer": lane.balancer}
    hosts = []
    for worker in lane.workers:
        roles = [role for role, its_worker in apart.items() if its_worker is worker] or ["load"]
        if worker is lane.server:
            roles = ["server"] if lane.loads else ["server", "load"]
        hosts.append(
            LaneHost(
                worker=worker.address, name=worker.host, machine=worker.machine, roles=roles, cpus=list(worker.cpus)
            )
        )
    return hosts


def _offset_in_words(clock: ClockOffset) -> str:
    """`0.21 ms ahead ± 0.1 ms`, of the clock of this machine."""
    ahead, error = clock.ahead_seconds, clock.error_seconds
    side = "ahead" if ahead >= 0 else "behind"
    return f"{figure_in(abs(ahead), UNITS['ms'])} {side} ± {figure_in(error, UNITS['ms'])}"


def in_words(lanes: ClusterLanes) -> str:
    """`2 lanes of 3 hosts`."""
    each = len(lanes.division.lanes[0].workers)
    return f"{count(len(lanes.division.lanes), 'lane')} of {count(each, 'host')}"
