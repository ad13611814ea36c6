"""Hosts of a cluster as they are found: roles, machine, versions, clock, what an idle worker costs, and links."""

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.cluster.addresses import host_of
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.facts import Facts
from fairtrial.cluster.roles import roles_of
from fairtrial.tools.cluster import link

ROUND_TRIPS = 50
SENDING_SECONDS = 0.3
"""Long enough for TCP to open its window on a link of 100 ms: it doubles with each round trip."""
LISTENING_SECONDS = 30.0


@dataclass(frozen=True)
class ExaminedHost:
    """A worker and where it runs."""

    address: str
    roles: tuple[str, ...]
    resources: tuple[str, ...]
    nanny: bool
    facts: Facts
    clock: ClockOffset
    idle_share: float
    """of one processor, which the worker used while it had nothing to do"""


@dataclass(frozen=True)
class Link:
    """From one host to another; the figures are None where no connection came about, and `reason` says why."""

    source: ExaminedHost
    target: ExaminedHost
    round_trip_seconds: float | None
    """the median"""
    bytes_per_second: float | None
    reason: str = ""


def examine_hosts(cluster: Cluster, facts: Mapping[str, Facts], idle_seconds: float) -> list[ExaminedHost]:
    """Examine workers, sorted by role and address.

    Args:
        facts: theirs, by address.
        idle_seconds: how long they are left alone, to measure what an idle worker costs.
    """
    states = cluster.workers()
    clocks = {address: cluster.clock(address) for address in facts}
    shares = _idle_shares(cluster, list(facts), idle_seconds)
    hosts = [
        ExaminedHost(
            address=address,
            roles=roles_of(states[address]["resources"]),
            resources=tuple(states[address]["resources"]),
            nanny=bool(states[address].get("nanny")),
            facts=its,
            clock=clocks[address],
            idle_share=shares[address],
        )
        for address, its in facts.items()
    ]
    return sorted(hosts, key=lambda host: (not host.roles, host.roles, host.address))


def measure_links(cluster: Cluster, pairs: Sequence[tuple[ExaminedHost, ExaminedHost]]) -> Iterator[Link]:
    """Measure each pair, one after another, so that none shares its way with another."""
    for source, target in pairs:
        address = host_of(target.address)
        port = cluster.call(target.address, link.listen, address, LISTENING_SECONDS)
        try:
            measured = cluster.compute(source.address, link.measure_link, address, port, ROUND_TRIPS, SENDING_SECONDS)
        except OSError as error:
            yield Link(source, target, None, None, str(error))
        else:
            yield Link(source, target, statistics.median(measured.round_trips_seconds), measured.bytes_per_second)


def processor_time() -> tuple[float, float]:
    """Seconds of processor time that this process has used, with all its threads; and a clock's seconds beside it."""
    return time.process_time(), time.monotonic()


def _idle_shares(cluster: Cluster, workers: Sequence[str], seconds: float) -> dict[str, float]:
    """By worker, its processor time over the wall time of a while in which it is asked for nothing."""
    before = {worker: cluster.call(worker, processor_time) for worker in workers}
    time.sleep(seconds)
    after = {worker: cluster.call(worker, processor_time) for worker in workers}
    return {
        worker: (after[worker][0] - before[worker][0]) / (after[worker][1] - before[worker][1]) for worker in workers
    }
