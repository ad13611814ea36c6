"""How the workers of a cluster become lanes: a pure function of what they say of themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    load: Worker | None
    """None: the load comes from the server's worker"""

    @property
    def workers(self) -> tuple[Worker, ...]:
        """All of them, the server's first."""
        return (self.server,) if self.load is None else (self.server, self.load)


@dataclass(frozen=True)
class Division:
    """Lanes, and the workers that are in none."""

    lanes: tuple[Lane, ...]
    unused: tuple[Worker, ...]


def divide(workers: Sequence[Worker], most: int | None = None) -> Division:
    """Divide workers into as many lanes as there can be, all with as many hosts.

    Where there are workers with the role `load` and not `server`, load comes from these, one for each lane, if possible
    from a machine that is not the server's. Where there are none, a worker with both roles is a lane. The order of
    addresses decides the rest, so that the same workers make the same lanes.

    Args:
        most: so many lanes; None: all that there can be.

    Raises:
        Problem: there is no lane.
    """
    ordered = sorted(workers, key=lambda worker: _natural(worker.address))
    servers = [worker for worker in ordered if "server" in worker.roles]
    loads = [worker for worker in ordered if "load" in worker.roles and "server" not in worker.roles]
    if loads:
        number = _fewest(len(servers), len(loads), most)
        lanes = _with_loads(servers[:number], loads)
    else:
        servers = [worker for worker in servers if "load" in worker.roles]
        number = _fewest(len(servers), len(servers), most)
        lanes = [Lane(place, server, None) for place, server in enumerate(servers[:number], 1)]
    if not lanes:
        raise Problem(
            f"no lane can be made of {count(len(workers), 'worker')}: it needs one with the role server, and one with "
            "the role load, or both in one",
            'start them with --resources "server=1" and --resources "load=1", on hosts of their own',
            NOTHING_RAN,
        )
    used = {worker.address for lane in lanes for worker in lane.workers}
    return Division(tuple(lanes), tuple(worker for worker in ordered if worker.address not in used))


def _fewest(servers: int, loads: int, most: int | None) -> int:
    return min(servers, loads) if most is None else min(servers, loads, most)


def _with_loads(servers: Sequence[Worker], loads: Sequence[Worker]) -> list[Lane]:
    rest = list(loads)
    lanes = []
    for number, server in enumerate(servers, 1):
        load = next((load for load in rest if load.machine != server.machine), rest[0])
        rest.remove(load)
        lanes.append(Lane(number, server, load))
    return lanes


def _natural(address: str) -> tuple[tuple[int, int, str], ...]:
    """So that 10.0.0.9 is before 10.0.0.10."""
    words = "".join(letter if letter.isalnum() else " " for letter in address).split()
    return tuple((0, int(word), "") if word.isdigit() else (1, 0, word) for word in words)
