"""The hosts that a load comes from: this machine."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fairtrial.base.endpoint import AddressChoice, Endpoint
from fairtrial.engine.plan import Tls
from fairtrial.engine.process import EngineStart, start_here
from fairtrial.tools.load.request.connect import check_connection
from fairtrial.tools.load.request.url import Url


class Connect(Protocol):
    """Connects as `check_connection` does."""

    def __call__(
        self,
        url: Url,
        unix_socket: Path | None,
        tls: Tls | None,
        timeout_seconds: float,
        addresses: AddressChoice,
        /,
        *,
        http2: bool,
        http3: bool,
    ) -> Endpoint:
        """An endpoint that takes connections."""
        ...


@dataclass(frozen=True)
class LoadSite:
    """The hosts that a load comes from, and what the lab needs of them."""

    connect: Connect
    """connects to a server once from each"""
    cpus: Sequence[Sequence[int]]
    """of each, the processors that the load may use"""
    start: EngineStart
    """starts an engine on each; the plan's `cpus` are those of all hosts one after the other, as many of each"""
    is_here: bool = True
    notes: Callable[[], Sequence[str]] = list
    """what a reader has to know of them, and of the last run"""


def this_host() -> LoadSite:
    """This machine."""
    return LoadSite(check_connection, [sorted(os.sched_getaffinity(0))], start_here)
