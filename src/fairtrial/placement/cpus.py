"""Placement on one machine: disjoint processor sets for the load and for the server, where there are two."""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fairtrial.record.model import Placement

LOOPBACK = "127.0.0.1"
"""Where everything listens when all roles share one machine."""


def local_placement(cpus: Sequence[int] | None = None) -> Placement:
    """Share the processors this process may use (or `cpus`) between load and server.

    The load generator gets a quarter, at least one, from the end; the server and its services the rest. On a single
    processor both share it, and the record says so.
    """
    allowed = sorted(os.sched_getaffinity(0)) if cpus is None else sorted(cpus)
    if len(allowed) == 1:
        return Placement(load_cpus=allowed, server_cpus=allowed, disjoint=False)
    load = max(1, len(allowed) // 4)
    return Placement(load_cpus=allowed[-load:], server_cpus=allowed[:-load], disjoint=True)


@contextmanager
def bound_to(cpus: Sequence[int]) -> Iterator[None]:
    """Keep the lab itself on these processors, so that it does not disturb the server while that is measured."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def free_port() -> int:
    """A TCP port on loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether somebody accepts connections on this port of loopback."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1.0):
            return True
    except OSError:
        return False
