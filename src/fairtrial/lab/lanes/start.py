"""Lanes of a running cluster, from the workers that there are to the tasks of their labs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import count, figure_in
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.units import UNITS
from fairtrial.cluster.clocks import clock_of
from fairtrial.cluster.connection import Cluster, host_of
from fairtrial.cluster.facts import Facts
from fairtrial.cluster.fitness import assert_fit, worker_facts
from fairtrial.cluster.roles import roles_of
from fairtrial.lab.lanes.divide import APART, Division, Lane, Worker, divide
from fairtrial.lab.lanes.remote_lane import Inbox, RemoteLane, started_lane
from fairtrial.lab.lanes.task import HostPlace, LaneTask, SentPlan
from fairtrial.lab.placement import local_placement
from fairtrial.record.model import ApartRole, LaneHost, Placement


@dataclass(frozen=True)
class ClusterLanes:
    """The lanes of a cluster, and the facts of all workers, by their addresses."""

    division: Division
    facts: Mapping[str, Facts]
    clocks: Mapping[str, ClockOffset] = field(default_factory=dict)
    """of load hosts that share a load, how far their clocks are ahead of that of this machine"""

    @property
    def load_hosts(self) -> int:
        """From how many hosts the load of each lane comes."""
        return len(self.division.lanes[0].loads) or 1

    @property
    def load_processors(self) -> int:
        """How many processors each load host has for its engine: as many as the one with the fewest."""
        placements = [placement_of(*_facts_of(lane, self.facts))[0] for lane in self.division.lanes]
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
        facts = self.facts[worker.address]
        cpus = ",".join(map(str, facts.cpus))
        clock = self.clocks.get(worker.address)
        ahead = "" if clock is None else f", clock {_offset_in_words(clock)}"
        return f"{printable(facts.host, 40)} ({printable(worker.address, 60)}, processors {cpus}{ahead})"

    def _shared(self) -> list[str]:
        """Which lanes would disturb each other, or themselves, on one machine."""
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
    all_facts = {address: worker_facts(cluster, address) for address in states}
    workers = [
        Worker(address, roles_of(state["resources"]), all_facts[address].boot_id) for address, state in states.items()
    ]
    division = divide(workers, most, load_hosts, apart=apart)
    facts = {worker.address: all_facts[worker.address] for lane in division.lanes for worker in lane.workers}
    assert_fit(cluster, facts)
    for lane in division.lanes:
        assert_apart(lane, facts)
    sharing = [load.address for lane in division.lanes for load in lane.loads if len(lane.loads) > 1]
    return ClusterLanes(division, facts, {address: clock_of(cluster, address) for address in sharing})


def assert_apart(lane: Lane, facts: Mapping[str, Facts]) -> None:
    """Refuse load hosts that share processors: nobody could tell which of them had how much of one.

    On the server's machine, where everything is shared anyway and figures are worth less, they may.

    Raises:
        Problem: two do.
    """
    processors: set[tuple[str, int]] = set()
    for load in lane.loads:
        own = {(load.machine, cpu) for cpu in facts[load.address].cpus}
        if own & processors and load.machine != lane.server.machine:
            raise Problem(
                f"lane {lane.number}: {printable(load.address, 60)} shares processors with another of its load hosts",
                "start workers of one machine on processors of their own (taskset), or ask for fewer: --load-hosts",
                NOTHING_RAN,
            )
        processors |= own


def start_lanes(
    cluster: Cluster, lanes: ClusterLanes, plan: SentPlan, inbox: Inbox, *, unencrypted: bool, wait: bool
) -> list[RemoteLane]:
    """Start the lab of each lane.

    Args:
        unencrypted: whether connections without TLS may leave a machine.
        wait: while another lab measures on a lane's processors; false: such a lane is left out.
    """
    by_machine: dict[str, set[int]] = {}
    started = []
    for lane in lanes.division.lanes:
        facts = _facts_of(lane, lanes.facts)
        placement, lab_cpus = placement_of(*facts)
        machine = by_machine.setdefault(facts[0].boot_id, set())
        measuring = {*placement.server_cpus, *placement.load_cpus_here, *lab_cpus}
        held_cpus = sorted(measuring - machine)
        machine |= measuring
        task = LaneTask(
            lane=lane.number,
            host=host_of(lane.server.address),
            placement=placement,
            lab_cpus=list(lab_cpus),
            held_cpus=held_cpus,
            wait=wait,
            load_workers=[load.address for load in lane.loads],
            service=_place(lane.service, lanes.facts, by_machine),
            balancer=_place(lane.balancer, lanes.facts, by_machine),
            scheduler=cluster.address,
            unencrypted=unencrypted,
            plan=plan,
        )
        started.append(started_lane(cluster, lane.server.address, task, _hosts(lane, lanes.facts), inbox))
    return started


def _place(worker: Worker | None, facts: Mapping[str, Facts], by_machine: dict[str, set[int]]) -> HostPlace | None:
    """A further host of a lane, whose processors join those that are held on its machine."""
    if worker is None:
        return None
    its = facts[worker.address]
    machine = by_machine.setdefault(its.boot_id, set())
    held_cpus = sorted(set(its.cpus) - machine)
    machine |= set(its.cpus)
    return HostPlace(
        worker=worker.address,
        host=host_of(worker.address),
        held_cpus=held_cpus,
    )


def _facts_of(lane: Lane, facts: Mapping[str, Facts]) -> list[Facts]:
    """Of the server's host, and of the load hosts."""
    return [facts[worker.address] for worker in (lane.server, *lane.loads)]


def placement_of(server: Facts, *loads: Facts) -> tuple[Placement, Sequence[int]]:
    """The processors of load and server in a lane, and the lab's own.

    On a host of its own the load takes all processors, of several hosts as many on each as on the one with the fewest.
    The lab keeps to the last processor of the server's host, and the server has the others. Processors of one machine
    are shared out as without a cluster; then several load hosts have the same.

    Args:
        loads: of the load's hosts; none: it comes from the server's worker.
    """
    allowed, hosts = sorted(server.cpus), max(1, len(loads))
    of_loads = {cpu for load in loads for cpu in load.cpus}
    is_beside = any(load.boot_id == server.boot_id for load in loads)
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


def _hosts(lane: Lane, facts: Mapping[str, Facts]) -> list[LaneHost]:
    hosts = []
    for worker in lane.workers:
        its = facts[worker.address]
        apart = {"service": lane.service, "balancer": lane.balancer}
        roles = [role for role, its_worker in apart.items() if its_worker is worker] or ["load"]
        if worker is lane.server:
            roles = ["server"] if lane.loads else ["server", "load"]
        hosts.append(
            LaneHost(worker=worker.address, name=its.host, machine=its.boot_id, roles=roles, cpus=list(its.cpus))
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
