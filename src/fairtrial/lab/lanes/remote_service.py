"""A service on a host of its own, as the lab of its lane sees it."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Any

from fairtrial.base.clock_offset import SAME_CLOCK, over_time
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import (
    Change,
    Counters,
    DurabilityReading,
    MaintenanceReading,
    RowsLoaded,
    Service,
)
from fairtrial.lab.lanes.host_calls import Up
from fairtrial.lab.lanes.remote_host import RemoteHost, RemoteMeter, nobody
from fairtrial.lab.meters.service import LaterChange
from fairtrial.record.model import Settle


@contextmanager
def service_up_on(
    host: RemoteHost, service: Service, point: int, with_tables: bool, on_rows: RowsLoaded
) -> Iterator["RemoteService"]:
    """Bring a service up on a host, and down again.

    Args:
        point: the place among those of the plan, which the host has as well, of the one whose tables it holds.
        with_tables: false: it holds none, as a cache.

    Raises:
        Problem: it cannot be brought up, or its host is lost.
    """
    host.on_rows = on_rows
    try:
        up: Up = host.call(0, "up", service.name, point, with_tables)
    finally:
        host.on_rows = nobody
    try:
        yield RemoteService(host, up)
    finally:
        with suppress(Problem):  # with its host, it is gone
            host.call(up.number, "down")


class RemoteService:
    """A service that runs on another host and holds the tables: a `RunningService`.

    It tells of durability, maintenance and keys read, can be killed, and is metered on its host.
    """

    pid = None

    def __init__(self, host: RemoteHost, up: Up) -> None:
        self._host, self._number = host, up.number
        self.url, self.identity = up.url, up.identity
        self.durability_at_start: DurabilityReading | None = up.durability_at_start
        self.loses_when_killed, self.why_no_power_cut = up.loses_when_killed, up.why_no_power_cut
        self._clock = SAME_CLOCK

    def fault(self) -> str | None:
        """How the server ended, as its host has told, or that the host is lost; None while it runs."""
        return self._host.fault(self._number)

    def altered(self) -> bool:
        """Whether anybody but the lab wrote; True if the server cannot be asked."""
        try:
            return bool(self._call("altered"))
        except Problem:
            return True

    def reset(self) -> None:
        """Start the server anew on a new copy of the loaded data.

        Raises:
            Problem: it did not start; it is down then.
        """
        self.durability_at_start = self._call("reset")

    def counters(self) -> Counters:
        """What the server counted since its last start; empty if it cannot be asked."""
        try:
            counters: Counters = self._call("counters")
        except Problem:
            return {}
        return counters

    def end_sessions(self) -> None:
        """End all sessions of stacks, where the server counts what they did late."""
        with suppress(Problem):
            self._call("end_sessions")

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All rows of a table."""
        number = self._call("open_rows", table)
        try:
            while rows := json.loads(self._call("next_rows", number)):
                yield from rows
        finally:
            with suppress(Problem):
                self._call("close", number)

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one column of the row with this key."""
        self._call("change", table, key, column, value)

    @contextmanager
    def changing(self, table: str, column: str, *, together: bool = False) -> Iterator[Change]:
        """To set that column of one row after the other. Changes that are one transaction are sent when it is left."""
        if together:
            changes: list[tuple[int, str]] = []
            yield lambda key, value: changes.append((key, value))
            self._call("change_all", table, column, changes)
            return
        number = self._call("open_changes", table, column)
        try:
            yield lambda key, value: self._call("change_one", number, key, value)
        finally:
            with suppress(Problem):
                self._call("close", number)

    def durability(self) -> DurabilityReading:
        """What the server tells of its commits now. Raises Problem: it cannot be asked."""
        reading: DurabilityReading = self._call("durability")
        return reading

    def sessions(self) -> int:
        """How many sessions of stacks are open. Raises Problem: the server cannot be asked."""
        return int(self._call("sessions"))

    def maintenance(self) -> MaintenanceReading | None:
        """What the server did for itself since its last start. Raises Problem: it cannot be asked."""
        reading: MaintenanceReading | None = self._call("maintenance")
        return reading

    def mark_unread(self, table: str, keys: Sequence[int]) -> bool:
        """Have these keys count as unread; False if the server does not tell that. Raises Problem: see `keys_read`."""
        return bool(self._call("mark_unread", table, list(keys)))

    def keys_read(self, table: str, keys: Sequence[int]) -> int:
        """How many of them were read since. Raises Problem: the server cannot be asked."""
        return int(self._call("keys_read", table, list(keys)))

    def before_changes(self) -> None:
        """Compare the clocks, while nothing is measured. Raises Problem: its host is lost."""
        self._clock = self._host.clock()

    def begin_changes(self, table: str, column: str, changes: Sequence[LaterChange], opened: float) -> None:
        """Have rows change from now on, each at its moment, by the lab there. Raises Problem: its host is lost."""
        late_seconds = time.monotonic() - opened
        moments = [[each.after_seconds - late_seconds, each.key, each.value] for each in changes]
        self._call("begin_changes", table, column, moments)

    def end_changes(self) -> tuple[Mapping[int, int], float]:
        """Change no more. Returns and raises as `OnOtherHost.end_changes` says."""
        committed: list[tuple[int, int]] = self._call("end_changes")
        clock = over_time(self._clock, self._host.clock())
        ahead_ns = round(clock.ahead_seconds * 1e9)
        return {key: there_ns - ahead_ns for key, there_ns in committed}, clock.error_seconds

    def kill(self) -> None:
        """Kill the server with all its processes. Raises Problem: its disk keeps its power, or its host is lost."""
        self._call("kill")

    def start_again(self) -> None:
        """Start it again on what it left. Raises Problem: it did not start."""
        self._call("start_again")

    def separate_disk(self) -> AbstractContextManager[None]:
        """Within it, its power fails when the server is killed. Raises Problem: there is no such disk there."""
        return self._separate_disk()

    @contextmanager
    def _separate_disk(self) -> Iterator[None]:
        with ExitStack() as closing:
            closing.callback(self._call, "close", self._call("open_disk"))
            yield

    def meter(self) -> RemoteMeter:
        """A new meter, of its processes and of its host."""
        return RemoteMeter(self._host, self._number)

    def settle(self, writes_at_end: int | None, longest_seconds: float) -> Settle:
        """As `lab.trial.settle.settle`, there. Raises Problem: its host is lost."""
        settled: Settle = self._call("settle", writes_at_end, longest_seconds)
        return settled

    def _call(self, method: str, *arguments: Any) -> Any:
        return self._host.call(self._number, method, *arguments)
