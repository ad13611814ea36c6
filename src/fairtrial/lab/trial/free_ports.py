"""Closed connections keep their local ports for a minute (TIME_WAIT): a trial waits until most ports are free again."""

import time
from collections.abc import Callable

from fairtrial.lab.meters.network import local_ports, reuses_time_wait_ports, time_wait_sockets
from fairtrial.load.kinds import Load
from fairtrial.load.request_load import RequestLoad

SHARE = 0.25
"""Of the local ports. The check `ports-exhausted` fires at 0.8. A trial that begins below 0.25 and ends above 0.8 has
taken more than half of all ports itself. A higher share would save little time: in the long run a load can take no more
ports than expire."""
LONGEST_SECONDS = 65.0
"""The life of TIME_WAIT, 60 s (TCP_TIMEWAIT_LEN, include/net/tcp.h of Linux), and what the kernel's timers take."""
LOOK_EVERY_SECONDS = 0.5


def takes_ports(load: Load | RequestLoad) -> bool:
    """Whether the load takes a port for each of its requests, and the kernel does not reuse it at once."""
    return not load.keep_alive and not reuses_time_wait_ports()


def occupied_ports() -> int:
    """The number of closed connections, if they keep more than SHARE of the local ports; else 0.

    Also 0 where the kernel does not report it.
    """
    closed, ports = time_wait_sockets(), local_ports()
    return closed if closed is not None and ports and closed > SHARE * ports else 0


def wait_for_ports(holding: Callable[[], int] = occupied_ports) -> None:
    """Wait until `holding` returns 0, LONGEST_SECONDS at most: after that, others keep closing connections."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while holding() and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY_SECONDS)
