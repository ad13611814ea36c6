"""Lanes of a running cluster, from the workers that there are to the tasks of their labs."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.fitness import assert_fit, facts_of
from fairtrial.cluster.lab import Message, RemoteLab
from fairtrial.cluster.roles import roles_of
from fairtrial.lab.lanes.divide import SEPARATE_ROLES, Lane, LaneDivision, Worker, divide
from fairtrial.lab.lanes.remote_lane import Inbox, RemoteLane
from fairtrial.lab.lanes.task import LaneTask, SentPlan
from fairtrial.lab.placement import local_placement
from fairtrial.record.lanes import LaneHost, SeparateRole
from fairtrial.record.placement import Placement


def lanes_of(
    cluster: Cluster, most: int | None, load_hosts: int = 1, *, separate: Sequence[SeparateRole] = SEPARATE_ROLES
) -> LaneDivision:
    """Divide the workers of a cluster into lanes.

    Args:
        most: so many lanes; None: all that there can be.
        load_hosts: of each lane.
        separate: as `divide` has it.

    Raises:
        Problem: there is no lane, a worker that is in one has other versions or does not answer, load hosts of a lane
            share processors, or Dask may do things twice.
    """
    states = cluster.workers()
    facts = {address: facts_of(cluster, address) for address in states}
    workers = [
        Worker(address, roles_of(states[address]["resources"]), its.boot_id, its.host, tuple(its.cpus))
        for address, its in facts.items()
    ]
    division = divide(workers, most, load_hosts, separate=separate)
    assert_fit(cluster, {each.address: facts[each.address] for lane in division.lanes for each in lane.workers})
    for lane in division.lanes:
        assert_disjoint_cpus(lane)
    sharing = [load.address for lane in division.lanes for load in lane.loads if len(lane.loads) > 1]
    return replace(division, clocks={address: cluster.clock(address) for address in sharing})


def load_processors(division: LaneDivision) -> int:
    """How many processors each load host has for its engine: as many as the one with the fewest."""
    placements = [placement_of(lane.server, *lane.loads)[0] for lane in division.lanes]
    return min(len(placement.load_cpus) // placement.load_hosts for placement in placements)


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
    cluster: Cluster, division: LaneDivision, plan: SentPlan, inbox: Inbox, *, unencrypted: bool, wait: bool
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
    for lane in division.lanes:
        placement, lab_cpus = placement_of(lane.server, *lane.loads)
        held_cpus = {
            lane.server.address: newly_held(lane.server, [*placement.server_cpus, *placement.load_cpus_here, *lab_cpus])
        }
        for worker in lane.separate.values():
            if worker.address not in held_cpus:
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
    hosts = []
    for worker in lane.workers:
        roles: list[str] = [role for role, separate in lane.separate.items() if separate is worker] or ["load"]
        if worker is lane.server:
            roles = ["server"] if lane.loads else ["server", "load"]
        hosts.append(
            LaneHost(
                worker=worker.address, name=worker.host, machine=worker.machine, roles=roles, cpus=list(worker.cpus)
            )
        )
    return hosts
