"""Closed connections of earlier trials keep their local ports for a minute: a trial waits until most are free again."""

import time
from collections.abc import Callable

from fairtrial.experiment.loads import Load, ProgramLoad
from fairtrial.lab.meters.network import local_ports, reuses_time_wait_ports, time_wait_sockets

SHARE = 0.25
"""Of the local ports. Far enough below the 0.8 at which `ports-exhausted` speaks that what is found at the end of a
window is the trial's own: it took more than half of all ports. A higher share would save little time: in the long run
a load can take no more ports than expire."""
LONGEST_SECONDS = 65.0
"""The life of TIME_WAIT, 60 s (TCP_TIMEWAIT_LEN, include/net/tcp.h of Linux), and what the kernel's timers take."""
LOOK_EVERY_SECONDS = 0.5


def takes_ports(load: Load) -> bool:
    """Whether the load takes a port for each of its requests, and the kernel does not lend it again."""
    return not isinstance(load, ProgramLoad) and not load.keep_alive and not reuses_time_wait_ports()


def crowded() -> int:
    """How many closed connections hold local ports, if they hold more than SHARE of them, else 0.

    Where the kernel does not tell, nobody knows: 0.
    """
    closed, ports = time_wait_sockets(), local_ports()
    return closed if closed is not None and ports and closed > SHARE * ports else 0


def wait_for_ports(holding: Callable[[], int] = crowded) -> None:
    """Return when `holding` is 0, or after LONGEST_SECONDS: somebody else closes connections then."""
    deadline = time.monotonic() + LONGEST_SECONDS
    while holding() and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY_SECONDS)
