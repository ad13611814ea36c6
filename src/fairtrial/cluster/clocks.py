"""Clocks of hosts, beside those of this machine."""

import time
from collections.abc import Callable

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.cluster.connection import Cluster

CLOCK_READINGS = 20


def clock_of(cluster: Cluster, worker: str, clock: Callable[[], float] = time.time) -> ClockOffset:
    """The offset of a worker's clock, by the exchange with the shortest round trip, of which half is the error.

    RFC 5905, section 8, has the same arithmetic. Raises Problem: the worker is lost, or does not answer.

    Args:
        clock: the wall clock, or `time.monotonic`, which nobody sets: by that, engines tell when they sent requests.
    """
    exchanges = (_exchange(cluster, worker, clock) for _ in range(CLOCK_READINGS))
    return min(exchanges, key=lambda offset: offset.error_seconds)


def _exchange(cluster: Cluster, worker: str, clock: Callable[[], float]) -> ClockOffset:
    here, started = clock(), time.perf_counter()
    answer = cluster.call(worker, clock)
    half = (time.perf_counter() - started) / 2
    return ClockOffset(answer - (here + half), half)
