"""Services on a host of their own, as the lab of their lane sees them."""

import queue
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import count
from typing import Any

from fairtrial.base.clock_offset import SAME_CLOCK, ClockOffset, over_time
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import (
    Change,
    Counters,
    DurabilityReading,
    MaintenanceReading,
    RowsLoaded,
    Service,
)
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.hosts import monotonic_clock_of
from fairtrial.cluster.lab import Message, RemoteLab
from fairtrial.lab.lanes.host_lost import HostLost
from fairtrial.lab.lanes.service_calls import ANSWERS, Call, Metered, Up
from fairtrial.lab.lanes.task import ServicePlace, ServiceTask
from fairtrial.lab.meters.service import LaterChange, ServiceMeter
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ServerMeter, Settle


class ServiceHost:
    """The lab on a host that brings services up there. It lives as long as this object and this process."""

    def __init__(
        self, cluster: Cluster, place: ServicePlace, task: ServiceTask, on_step: Callable[[str], None]
    ) -> None:
        """Start it.

        Args:
            on_step: is called with what it does before it is ready.
        """
        self._cluster, self._on_step, self._place = cluster, on_step, place
        self._ids = count(1)
        self._answers: dict[int, queue.SimpleQueue[Message]] = {}
        self._faults: dict[int, str | None] = {}
        self._on_rows: RowsLoaded = _nobody
        self._ready: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self.problem: Problem | None = None
        """by which nothing more is to be heard of it"""
        self._lab = RemoteLab(cluster, place.worker, "lane-services", task.model_dump_json(), self._hear)

    def await_ready(self) -> None:
        """Wait until it takes calls. Raises Problem: it cannot."""
        message = self._ready.get()
        if self.problem is not None:
            raise self.problem
        assert message["kind"] == "ready"

    @property
    def same_machine(self) -> bool:
        """Whether it is the server's machine as well."""
        return self._place.same_machine

    def release(self) -> None:
        """Let it go: it ends, with all services."""
        self._lab.release()

    def clock(self) -> ClockOffset:
        """The monotonic clock there, beside this host's. Raises Problem: its worker does not answer."""
        return monotonic_clock_of(self._cluster, self._lab.worker)

    def assert_there(self, workers: Container[str]) -> None:
        """Raise HostLost if its worker is not among those of the cluster, or its lab has ended."""
        if self._lab.worker not in workers:
            raise HostLost(f"the worker at {printable(self._lab.worker, 60)}, the service host, is lost")
        if self.problem is not None:
            raise HostLost(f"the lab on the service host is lost: {self.problem.reason}")

    def fault(self, service: int) -> str | None:
        """How a service ended, as the host has told; None while it runs. Nobody is asked."""
        return self.problem.reason if self.problem is not None else self._faults.get(service)

    @contextmanager
    def up(self, service: Service, point: int, with_tables: bool, on_rows: RowsLoaded) -> Iterator["RemoteService"]:
        """Bring a service up there, and down again.

        Args:
            point: the place among those of the plan, which the host has as well, of the one whose tables it holds.
            with_tables: false: it holds none, as a cache.

        Raises:
            Problem: it cannot be brought up, or its host is lost.
        """
        self._on_rows = on_rows
        try:
            up: Up = self.call(0, "up", service.name, point, with_tables)
        finally:
            self._on_rows = _nobody
        try:
            yield RemoteService(self, up)
        finally:
            with suppress(Problem):  # with its host, it is gone
                self.call(up.number, "down")

    def call(self, service: int, method: str, *arguments: Any) -> Any:
        """Have a method called there, and wait for its answer.

        Raises:
            Problem: what it raised there, or the host is lost.
        """
        number, answers = next(self._ids), queue.SimpleQueue[Message]()
        with self._lock:
            if self.problem is not None:
                raise self.problem
            self._answers[number] = answers
        call = Call(id=number, service=service, method=method, arguments=list(arguments))
        self._lab.say(call.model_dump_json())
        message = answers.get()
        if message["kind"] == "lost":
            raise self.problem or _lost()
        if message["kind"] == "refused":
            raise Problem(message["reason"], message["remedy"], message["exit_status"])
        return ANSWERS[method].validate_json(message["value"])

    def _hear(self, message: Message) -> None:
        kind = message["kind"]
        if kind in ("answer", "refused"):
            with self._lock:
                answers = self._answers.pop(message["id"], None)
            if answers is not None:
                answers.put(message)
        elif kind == "fault":
            self._faults[message["service"]] = message["fault"]
        elif kind == "rows":
            self._on_rows(message["table"], message["loaded"])
        elif kind == "step":
            self._on_step(f"on the service host: {message['text']}")
        elif kind == "ready":
            self._ready.put(message)
        else:
            self._end(message)

    def _end(self, message: Message) -> None:
        with self._lock:
            self.problem = self.problem or _problem(message)
            waiting, self._answers = list(self._answers.values()), {}
        for answers in (*waiting, self._ready):
            answers.put({"kind": "lost"})


class RemoteService:
    """A service that runs on another host and holds the tables: a `RunningService`.

    It tells of durability, maintenance and keys read, can be killed, and is metered on its host.
    """

    pid = None

    def __init__(self, host: ServiceHost, up: Up) -> None:
        self._host, self._number = host, up.number
        self.url, self.identity = up.url, up.identity
        self.durability_at_start: DurabilityReading | None = up.durability_at_start
        self.loses_when_killed, self.why_no_power_cut = up.loses_when_killed, up.why_no_power_cut
        self.machine: MachineMeter | None = None
        self._clock = SAME_CLOCK

    def fault(self) -> str | None:
        """How the server ended, as its host has told, or that the host is lost; None while it runs."""
        return self._host.fault(self._number)

    def altered(self) -> bool:
        """Whether anybody but the lab wrote; True if the server cannot be asked."""
        try:
            return bool(self.call("altered"))
        except Problem:
            return True

    def reset(self) -> None:
        """Start the server anew on a new copy of the loaded data.

        Raises:
            Problem: it did not start; it is down then.
        """
        self.durability_at_start = self.call("reset")

    def counters(self) -> Counters:
        """What the server counted since its last start; empty if it cannot be asked."""
        try:
            counters: Counters = self.call("counters")
        except Problem:
            return {}
        return counters

    def end_sessions(self) -> None:
        """End all sessions of stacks, where the server counts what they did late."""
        with suppress(Problem):
            self.call("end_sessions")

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All rows of a table."""
        number = self.call("open_rows", table)
        try:
            while rows := self.call("next_rows", number):
                yield from rows
        finally:
            with suppress(Problem):
                self.call("close", number)

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one column of the row with this key."""
        self.call("change", table, key, column, value)

    @contextmanager
    def changing(self, table: str, column: str, *, together: bool = False) -> Iterator[Change]:
        """To set that column of one row after the other. Changes that are one transaction are sent when it is left."""
        if together:
            changes: list[tuple[int, str]] = []
            yield lambda key, value: changes.append((key, value))
            self.call("change_all", table, column, changes)
            return
        number = self.call("open_changes", table, column)
        try:
            yield lambda key, value: self.call("change_one", number, key, value)
        finally:
            with suppress(Problem):
                self.call("close", number)

    def durability(self) -> DurabilityReading:
        """What the server tells of its commits now. Raises Problem: it cannot be asked."""
        reading: DurabilityReading = self.call("durability")
        return reading

    def sessions(self) -> int:
        """How many sessions of stacks are open. Raises Problem: the server cannot be asked."""
        return int(self.call("sessions"))

    def maintenance(self) -> MaintenanceReading | None:
        """What the server did for itself since its last start. Raises Problem: it cannot be asked."""
        reading: MaintenanceReading | None = self.call("maintenance")
        return reading

    def mark_unread(self, table: str, keys: Sequence[int]) -> bool:
        """Have these keys count as unread; False if the server does not tell that. Raises Problem: see `keys_read`."""
        return bool(self.call("mark_unread", table, list(keys)))

    def keys_read(self, table: str, keys: Sequence[int]) -> int:
        """How many of them were read since. Raises Problem: the server cannot be asked."""
        return int(self.call("keys_read", table, list(keys)))

    def begin_changes(self, table: str, column: str, changes: Sequence[LaterChange]) -> None:
        """Have rows change from now on, each at its moment, by the lab there. Raises Problem: its host is lost."""
        self._clock = self._host.clock()
        self.call("begin_changes", table, column, [[each.after_seconds, each.key, each.value] for each in changes])

    def end_changes(self) -> tuple[Mapping[int, int], float]:
        """Change no more. Returns and raises as `OnItsOwnHost.end_changes` says."""
        committed: list[tuple[int, int]] = self.call("end_changes")
        clock = over_time(self._clock, self._host.clock())
        ahead_ns = int(clock.ahead_seconds * 1e9)
        return {key: there_ns - ahead_ns for key, there_ns in committed}, clock.error_seconds

    def kill(self) -> None:
        """Kill the server with all its processes. Raises Problem: its disk keeps its power, or its host is lost."""
        self.call("kill")

    def start_again(self) -> None:
        """Start it again on what it left. Raises Problem: it did not start."""
        self.call("start_again")

    def disk_of_its_own(self) -> AbstractContextManager[None]:
        """Within it, its power fails when the server is killed. Raises Problem: there is no such disk there."""
        return self._disk_of_its_own()

    @contextmanager
    def _disk_of_its_own(self) -> Iterator[None]:
        with ExitStack() as closing:
            closing.callback(self.call, "close", self.call("open_disk"))
            yield

    def meter(self) -> ServiceMeter:
        """A new meter, of its processes and of its host."""
        return _RemoteMeter(self)

    def settle(self, writes_at_end: int | None, longest_seconds: float) -> Settle:
        """As `lab.trial.settle.settle`, there. Raises Problem: its host is lost."""
        settled: Settle = self.call("settle", writes_at_end, longest_seconds)
        return settled

    def took_place_on(self, machine: MachineMeter) -> None:
        """Keep what its host did in a window, unless that is the server's machine, which is metered there."""
        self.machine = None if self._host.same_machine else machine

    def call(self, method: str, *arguments: Any) -> Any:
        """Have a method called there, and return its answer. Raises Problem: as `ServiceHost.call`."""
        return self._host.call(self._number, method, *arguments)


class _RemoteMeter:
    """A `ServiceMeter` on the host of a service."""

    def __init__(self, service: RemoteService) -> None:
        self._service = service

    def open(self) -> None:
        self._service.call("open_meter")

    def close(self) -> ServerMeter:
        metered: Metered = self._service.call("close_meter")
        self._service.took_place_on(metered.machine)
        return metered.service

    def abandon(self) -> None:
        """Nothing: the host abandons it when the next is opened, and takes one sample in a quarter of a second."""


def _nobody(_table: str, _loaded: int) -> None:
    """No rows are being loaded."""


def _problem(message: Message) -> Problem:
    if message["kind"] == "lost":
        problem: Problem = message["problem"]
        return problem
    if message["kind"] == "problem":
        return Problem(message["reason"], message["remedy"], message["exit_status"])
    return _lost()


def _lost() -> Problem:
    return Problem("the lab on the service host has ended", "run the experiment again", NOTHING_RAN)
