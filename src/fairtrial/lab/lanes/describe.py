"""Lanes in words, before anything starts on them."""

from collections.abc import Iterator

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.formatting import count, figure_in
from fairtrial.base.printable import printable
from fairtrial.base.units import UNITS
from fairtrial.lab.lanes.divide import Lane, LaneDivision, Worker


def division_in_words(division: LaneDivision) -> str:
    """`2 lanes of 3 hosts`."""
    return f"{count(len(division.lanes), 'lane')} of {count(len(division.lanes[0].workers), 'host')}"


def describe_lanes(division: LaneDivision) -> list[str]:
    """Each lane in words, and what is to be known of them."""
    lines = [_lane(division, lane) for lane in division.lanes]
    if division.unused:
        lines.append(f"in no lane: {', '.join(printable(worker.address, 60) for worker in division.unused)}")
    return [*lines, *dict.fromkeys(_shared_machines(division))]


def _lane(division: LaneDivision, lane: Lane) -> str:
    server, *loads = (_name(division, worker) for worker in (lane.server, *lane.loads))
    separate = "".join(
        f", {'services' if role == 'service' else role} on {_name(division, worker)}"
        for role, worker in lane.separate.items()
    )
    if not loads:
        return f"lane {lane.number}: server and load on {server}{separate}"
    return f"lane {lane.number}: server on {server}, load from {' and from '.join(loads)}{separate}"


def _name(division: LaneDivision, worker: Worker) -> str:
    cpus = ",".join(map(str, worker.cpus))
    clock = division.clocks.get(worker.address)
    ahead = "" if clock is None else f", clock {_offset_in_words(clock)}"
    return f"{printable(worker.host, 40)} ({printable(worker.address, 60)}, processors {cpus}{ahead})"


def _shared_machines(division: LaneDivision) -> Iterator[str]:
    """The lanes that would disturb each other, or themselves, on one machine."""
    by_machine: dict[str, set[int]] = {}
    for lane in division.lanes:
        if any(load.machine == lane.server.machine for load in lane.loads):
            yield f"lane {lane.number}: load and server share a machine"
        for role, worker in lane.separate.items():
            if worker.machine in {each.machine for each in lane.workers if each is not worker}:
                of = "services" if role == "service" else "the balancer"
                yield f"lane {lane.number}: another of its hosts is on the machine of {of}"
        for worker in lane.workers:
            by_machine.setdefault(worker.machine, set()).add(lane.number)
    for numbers in by_machine.values():
        if len(numbers) > 1:
            lanes = ", ".join(map(str, sorted(numbers)))
            yield f"lanes {lanes} share a machine: they disturb each other, and figures are worth less"


def _offset_in_words(clock: ClockOffset) -> str:
    """`0.21 ms ahead ± 0.1 ms`, of the clock of this machine."""
    ahead, error = clock.ahead_seconds, clock.error_seconds
    side = "ahead" if ahead >= 0 else "behind"
    return f"{figure_in(abs(ahead), UNITS['ms'])} {side} ± {figure_in(error, UNITS['ms'])}"
