"""A service on a host of its own, whose processes only the lab there sees; and what meters a service anywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from fairtrial.catalog.services.model import RunningService
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.record.database import Settle
from fairtrial.record.machine import MachineMeter
from fairtrial.record.processes import ServerMeter


class ServiceMeter(Protocol):
    """Measures the processes of a service, or of a balancer, from `open` to `close`."""

    machine: MachineMeter | None
    """what its host did in the window; None if it is the server's, which has a meter of its own"""

    def prepare(self) -> None:
        """Right before `open`: what it would have to do otherwise, while other meters wait."""

    def open(self) -> None:
        """Open the window."""

    def close(self, ended_seconds_ago: float = 0.0) -> ServerMeter:
        """Close the window, and return what they used in it. It ended so long ago, with the load."""

    def abandon(self) -> None:
        """Stop without a result."""


@dataclass(frozen=True)
class LaterChange:
    """One column of a row that is to change at a moment of a window."""

    after_seconds: float
    """after the window opened"""
    key: int
    value: str


@runtime_checkable
class RemotelyMetered(Protocol):
    """A service or a balancer on a host of its own, whose processes only the lab there sees."""

    def meter(self) -> ServiceMeter:
        """A new meter, of its processes and of its host."""


@runtime_checkable
class OnOtherHost(RemotelyMetered, Protocol):
    """A running service on a host of its own, where another lab does what must not wait for a message."""

    def before_changes(self) -> None:
        """Before a load in whose window rows are to change. Raises Problem: its host is lost."""

    def begin_changes(self, table: str, column: str, changes: Sequence[LaterChange], opened: float) -> None:
        """Have rows change from now on, each at its moment.

        Args:
            opened: when the window opened, by the monotonic clock here, in seconds.

        Raises:
            Problem: its host is lost.
        """

    def end_changes(self) -> tuple[Mapping[int, int], float]:
        """Change no more.

        Returns:
            by key, when its change was committed, in nanoseconds of the monotonic clock here; and by how many seconds
            that may be wrong.

        Raises:
            Problem: the service refused a change, or its host is lost.
        """

    def settle(self, writes_at_end: int | None, longest_seconds: float) -> Settle:
        """As `lab.trial.settle.settle`, there."""


def meter_of(service: RunningService) -> ServiceMeter | None:
    """A meter of the service's processes; None if it has none, or somebody else runs it."""
    if isinstance(service, RemotelyMetered):
        return service.meter()
    return None if service.pid is None else TreeMeter(service.pid)


def has_processes(service: RunningService) -> bool:
    """Whether the lab, here or on the service's host, runs its processes."""
    return service.pid is not None or isinstance(service, OnOtherHost)
