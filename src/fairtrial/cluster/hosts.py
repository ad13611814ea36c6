"""Hosts of a cluster as they are found: roles, machine, versions, clock, and what an idle worker costs."""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial.base.clock_offset import ClockOffset as Clock
from fairtrial.cluster.connection import Cluster, host_of
from fairtrial.cluster.roles import roles_of
from fairtrial.cluster.sent.facts import facts as local_facts
from fairtrial.cluster.settings import SETTINGS

CLOCK_READINGS = 20
ROUND_TRIPS = 50
SENDING_SECONDS = 0.3
"""Long enough for TCP to open its window on a link of 100 ms: it doubles with each round trip."""
LISTENING_SECONDS = 30.0


@dataclass(frozen=True)
class Facts:
    """What a process is run by: the fields of `sent/facts.py`."""

    host: str
    boot_id: str
    """the kernel's, which namespaces and containers of one machine share"""
    network: str
    architecture: str
    kernel: str
    cpus: Sequence[int]
    """those that its process may use"""
    python: str
    versions: Mapping[str, str | None]
    lab_sha256: str | None
    engine_sha256: str | None
    settings: Mapping[str, object]


@dataclass(frozen=True)
class Host:
    """A worker and where it runs."""

    address: str
    roles: tuple[str, ...]
    resources: tuple[str, ...]
    nanny: bool
    facts: Facts
    clock: Clock
    idle_share: float
    """of one processor, which the worker used while it had nothing to do"""


@dataclass(frozen=True)
class Link:
    """From one host to another; the figures are None where no connection came about, and `reason` says why."""

    source: Host
    target: Host
    round_trip_seconds: float | None
    """the median"""
    bytes_per_second: float | None
    reason: str = ""


def facts_of_lab() -> Facts:
    """The facts of this process, with which hosts must agree."""
    return Facts(**local_facts([]))


def scheduler_facts(cluster: Cluster) -> Facts:
    """The facts of the scheduler's process, with its settings."""
    keys = [each.key for each in SETTINGS if each.of == "scheduler"]
    return Facts(**cluster.call_on_scheduler("facts", "facts", settings=keys))


def worker_facts(cluster: Cluster, worker: str) -> Facts:
    """The facts of a worker's process, with its settings."""
    keys = [each.key for each in SETTINGS if each.of == "workers"]
    return Facts(**cluster.call(worker, "facts", "facts", settings=keys))


def examine_hosts(cluster: Cluster, idle_seconds: float) -> list[Host]:
    """Examine all workers, sorted by role and address.

    Args:
        idle_seconds: how long they are left alone, to measure what an idle worker costs.
    """
    workers = cluster.workers()
    facts = {address: worker_facts(cluster, address) for address in workers}
    clocks = {address: clock_of(cluster, address) for address in workers}
    shares = _idle_shares(cluster, list(workers), idle_seconds)
    hosts = [
        Host(
            address=address,
            roles=roles_of(state["resources"]),
            resources=tuple(state["resources"]),
            nanny=bool(state.get("nanny")),
            facts=facts[address],
            clock=clocks[address],
            idle_share=shares[address],
        )
        for address, state in workers.items()
    ]
    return sorted(hosts, key=lambda host: (not host.roles, host.roles, host.address))


def measure_links(cluster: Cluster, pairs: Sequence[tuple[Host, Host]]) -> Iterator[Link]:
    """Measure each pair, one after another, so that none shares its way with another."""
    for source, target in pairs:
        address = host_of(target.address)
        port = cluster.call(target.address, "link", "listen", address=address, seconds=LISTENING_SECONDS)
        try:
            measured = cluster.call(
                source.address,
                "link",
                "measure",
                address=address,
                port=port,
                round_trips=ROUND_TRIPS,
                seconds=SENDING_SECONDS,
            )
        except OSError as error:
            yield Link(source, target, None, None, str(error))
        else:
            yield Link(source, target, statistics.median(measured["round_trips_seconds"]), measured["bytes_per_second"])


def clock_of(cluster: Cluster, worker: str) -> Clock:
    """The offset of a worker's clock, by the exchange with the shortest round trip, of which half is the error.

    RFC 5905, section 8, has the same arithmetic.
    """
    return _offset(lambda: cluster.clock(worker), time.time)


def monotonic_clock_of(cluster: Cluster, worker: str) -> Clock:
    """The same for the clock that nobody sets, by which engines tell when they sent requests."""
    return _offset(lambda: cluster.monotonic_clock(worker), time.monotonic)


def _offset(remote: Callable[[], float], here: Callable[[], float]) -> Clock:
    return min((_exchange(remote, here) for _ in range(CLOCK_READINGS)), key=lambda clock: clock.error_seconds)


def _exchange(remote: Callable[[], float], here: Callable[[], float]) -> Clock:
    clock, started = here(), time.perf_counter()
    answer = remote()
    half = (time.perf_counter() - started) / 2
    return Clock(answer - (clock + half), half)


def _idle_shares(cluster: Cluster, workers: Sequence[str], seconds: float) -> dict[str, float]:
    """By worker, its processor time over the wall time of a while in which it is asked for nothing."""
    before = {worker: _processor_time(cluster, worker) for worker in workers}
    time.sleep(seconds)
    after = {worker: _processor_time(cluster, worker) for worker in workers}
    return {
        worker: (after[worker][0] - before[worker][0]) / (after[worker][1] - before[worker][1]) for worker in workers
    }


def _processor_time(cluster: Cluster, worker: str) -> Any:
    return cluster.call(worker, "facts", "processor_time")
