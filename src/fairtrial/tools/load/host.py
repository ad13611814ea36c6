"""The host that a load comes from: this machine."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.engine.plan import Tls
from fairtrial.engine.process import EngineStart, start_here
from fairtrial.tools.load.request.connect import Endpoint, check_connection
from fairtrial.tools.load.request.url import Url


@dataclass(frozen=True)
class LoadHost:
    """A host that a load comes from, and what the lab needs of it."""

    connect: Callable[[Url, Path | None, Tls | None, float], Endpoint]
    """connects to a server once, as `check_connection` does"""
    cpus: Sequence[int]
    """processors that the load may use"""
    start: EngineStart
    is_here: bool = True
    notes: Sequence[str] = ()
    """what a reader has to know of it"""


def this_host() -> LoadHost:
    """This machine."""
    return LoadHost(check_connection, sorted(os.sched_getaffinity(0)), start_here)
