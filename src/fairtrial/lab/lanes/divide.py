"""How the workers of a cluster become lanes: a pure function of what they say of themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.record.lanes import SeparateRole

SEPARATE_ROLES: Sequence[SeparateRole] = ("service", "balancer")


@dataclass(frozen=True)
class Worker:
    """A worker: what decides in which lane it is, and what a lane has of it."""

    address: str
    roles: tuple[str, ...]
    machine: str = ""
    """the kernel's boot id, which all workers on a machine share"""
    host: str = ""
    """the name of its host"""
    cpus: tuple[int, ...] = ()
    """those that it may use"""


@dataclass(frozen=True)
class Lane:
    """One set of hosts with the roles of a trial. Lanes count from 1."""

    number: int
    server: Worker
    loads: tuple[Worker, ...] = ()
    """the load hosts; empty: the load comes from the server's worker"""
    separate: Mapping[SeparateRole, Worker] = field(default_factory=dict)
    """the hosts of services and of the balancer, which may be one; a role that is missing is on the server's host"""

    @property
    def workers(self) -> tuple[Worker, ...]:
        """All of them, each once, the server's first."""
        return (self.server, *self.loads, *dict.fromkeys(self.separate.values()))


@dataclass(frozen=True)
class LaneDivision:
    """Lanes, all with as many hosts, and the workers that are in none."""

    lanes: tuple[Lane, ...]
    unused: tuple[Worker, ...]
    clocks: Mapping[str, ClockOffset] = field(default_factory=dict)
    """of load hosts that share a load, how far their clocks are ahead of that of this machine"""

    @property
    def load_hosts(self) -> int:
        """From how many hosts the load of each lane comes."""
        return len(self.lanes[0].loads) or 1

    @property
    def separate_roles(self) -> list[SeparateRole]:
        """For which each lane has a host, beside server and load."""
        return list(self.lanes[0].separate)


def divide(
    workers: Sequence[Worker],
    most: int | None = None,
    load_hosts: int = 1,
    *,
    separate: Sequence[SeparateRole] = SEPARATE_ROLES,
) -> LaneDivision:
    """Divide workers into as many lanes as there can be, all with as many hosts.

    Where there are workers with the role `load` and not `server`, load comes from these, `load_hosts` for each lane, if
    possible from machines that are not the server's: all of a lane's, or none. Where there are none, a worker with both
    roles is a lane. Where there are workers with the role `service` or `balancer` and neither of these, each lane has
    one for each such role, if possible on a machine of its own; with fewer of them, there are fewer lanes. The order of
    addresses decides the rest, so that the same workers make the same lanes.

    Args:
        most: so many lanes; None: all that there can be.
        load_hosts: of each lane. More than one have no other role.
        separate: the roles for which a lane has a host, if there is one, because something is to be brought up there.

    Raises:
        Problem: there is no lane.
    """
    ordered = sorted(workers, key=lambda worker: _natural(worker.address))
    servers = [worker for worker in ordered if "server" in worker.roles]
    loads = [worker for worker in ordered if "load" in worker.roles and "server" not in worker.roles]
    if loads or load_hosts > 1:
        lanes = _with_loads(servers, loads, load_hosts)
    else:
        servers = [worker for worker in servers if "load" in worker.roles]
        lanes = [Lane(place, server) for place, server in enumerate(servers, 1)]
    for role in separate:
        able = [worker for worker in ordered if role in worker.roles and not {"server", "load"} & set(worker.roles)]
        if able:
            lanes = _with_separate_host(lanes, able, role)
    lanes = lanes[:most]
    if not lanes:
        raise _no_lane(len(workers), len(loads), load_hosts)
    used = {worker.address for lane in lanes for worker in lane.workers}
    return LaneDivision(tuple(lanes), tuple(worker for worker in ordered if worker.address not in used))


def _no_lane(workers: int, loads: int, load_hosts: int) -> Problem:
    made_of = f"no lane can be made of {count(workers, 'worker')}: it needs one with the role server, and"
    if load_hosts == 1:
        return Problem(
            f"{made_of} one with the role load, or both in one",
            'start them with --resources "server=1" and --resources "load=1", on hosts of their own',
            NOTHING_RAN,
        )
    return Problem(
        f"{made_of} {load_hosts} with the role load alone, all on the server's machine or none; {loads} have that role",
        'start more with --resources "load=1", or ask for fewer: --load-hosts',
        NOTHING_RAN,
    )


def _with_loads(servers: Sequence[Worker], loads: Sequence[Worker], load_hosts: int) -> list[Lane]:
    rest = list(loads)
    loads_of: dict[str, tuple[Worker, ...]] = {}
    for beside in (False, True):
        for server in servers:
            fit = [load for load in rest if (load.machine == server.machine) == beside][:load_hosts]
            if server.address not in loads_of and len(fit) == load_hosts:
                loads_of[server.address] = tuple(fit)
                rest = [load for load in rest if load not in fit]
    able = [server for server in servers if server.address in loads_of]
    return [Lane(number, server, loads_of[server.address]) for number, server in enumerate(able, 1)]


def _with_separate_host(lanes: Sequence[Lane], able: Sequence[Worker], role: SeparateRole) -> list[Lane]:
    """As many of the lanes as there are workers for it, the first ones, each with one of these as its host of a role.

    A worker that is a lane's host already is that lane's for this role as well.
    """
    with_hosts: list[Lane] = []
    rest = [worker for worker in able if not any(worker in lane.workers for lane in lanes)]
    for lane in lanes:
        own = [worker for worker in able if worker in lane.workers]
        machines = {each.machine for each in lane.workers}
        fit = own or [worker for worker in rest if worker.machine not in machines] or rest
        if fit:
            rest = [worker for worker in rest if worker is not fit[0]]
            with_hosts.append(replace(lane, separate={**lane.separate, role: fit[0]}))
    return [replace(lane, number=number) for number, lane in enumerate(with_hosts, 1)]


def _natural(address: str) -> tuple[tuple[int, int, str], ...]:
    """So that 10.0.0.9 is before 10.0.0.10."""
    words = "".join(letter if letter.isalnum() else " " for letter in address).split()
    return tuple((0, int(word), "") if word.isdigit() else (1, 0, word) for word in words)
