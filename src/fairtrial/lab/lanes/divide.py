"""How the workers of a cluster become lanes: a pure function of what they say of themselves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem


@dataclass(frozen=True)
class Worker:
    """What decides in which lane a worker is."""

    address: str
    roles: tuple[str, ...]
    machine: str = ""
    """the kernel's boot id, which all workers on a machine share"""


@dataclass(frozen=True)
class Lane:
    """One set of hosts with the roles of a trial. Lanes count from 1."""

    number: int
    server: Worker
    loads: tuple[Worker, ...] = ()
    """the load hosts; empty: the load comes from the server's worker"""
    service: Worker | None = None
    """the host of services; None: they are on the server's"""

    @property
    def workers(self) -> tuple[Worker, ...]:
        """All of them, the server's first, and that of services last."""
        return (self.server, *self.loads, *(() if self.service is None else (self.service,)))


@dataclass(frozen=True)
class Division:
    """Lanes, and the workers that are in none."""

    lanes: tuple[Lane, ...]
    unused: tuple[Worker, ...]


def divide(
    workers: Sequence[Worker], most: int | None = None, load_hosts: int = 1, *, services: bool = True
) -> Division:
    """Divide workers into as many lanes as there can be, all with as many hosts.

    Where there are workers with the role `load` and not `server`, load comes from these, `load_hosts` for each lane, if
    possible from machines that are not the server's: all of a lane's, or none. Where there are none, a worker with both
    roles is a lane. Where there are workers with the role `service` and neither of these, each lane has one of them, if
    possible from a machine of its own; with fewer of them, there are fewer lanes. The order of addresses decides the
    rest, so that the same workers make the same lanes.

    Args:
        most: so many lanes; None: all that there can be.
        load_hosts: of each lane. More than one have no other role.
        services: whether any are to be brought up; false: no lane has a host for them.

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
    for_services = [worker for worker in ordered if worker.roles in (("service",), ("service", "balancer"))]
    if services and for_services:
        lanes = _with_services(lanes, for_services)
    lanes = lanes[:most]
    if not lanes:
        raise _no_lane(len(workers), len(loads), load_hosts)
    used = {worker.address for lane in lanes for worker in lane.workers}
    return Division(tuple(lanes), tuple(worker for worker in ordered if worker.address not in used))


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


def _with_services(lanes: Sequence[Lane], services: Sequence[Worker]) -> list[Lane]:
    """As many of the lanes as there are services for, the first ones, each with one of these."""
    rest, with_services = list(services), []
    for lane in lanes[: len(services)]:
        elsewhere = [worker for worker in rest if worker.machine not in {each.machine for each in lane.workers}]
        service = (elsewhere or rest)[0]
        rest.remove(service)
        with_services.append(replace(lane, service=service))
    return with_services


def _natural(address: str) -> tuple[tuple[int, int, str], ...]:
    """So that 10.0.0.9 is before 10.0.0.10."""
    words = "".join(letter if letter.isalnum() else " " for letter in address).split()
    return tuple((0, int(word), "") if word.isdigit() else (1, 0, word) for word in words)
