"""A service or a balancer on a host of its own, as the lab of its lane sees it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Any, TypeVar, cast

from fairtrial.base.clock_offset import SAME_CLOCK, over_time
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Change, RunningService, Service
from fairtrial.lab.lanes.host_calls import ATTRIBUTES, CLOSE, METHODS, NEXT, Lasting
from fairtrial.lab.lanes.remote_host import RemoteHost
from fairtrial.lab.meters.service import LaterChange
from fairtrial.record.database import Settle
from fairtrial.record.machine import MachineMeter
from fairtrial.record.processes import ServerMeter

ANSWERS_WITHOUT_HOST: Mapping[str, Any] = {"altered": "its host is lost", "counters": {}, "end_sessions": None}
"""By method, what a service that cannot be asked answers, as its Protocol has it. All others raise a Problem."""
Remote = TypeVar("Remote", bound="RemoteServer")


def service_up_on(
    host: RemoteHost, service: Service, point: int, with_tables: bool
) -> AbstractContextManager[RunningService]:
    """Bring a service up on a host, and down again.

    Args:
        point: the place among those of the plan, which the host has as well, of the one whose tables it holds.
        with_tables: false: it holds none, as a cache.

    Raises:
        Problem: it cannot be brought up, or its host is lost.
    """
    up = _up_on(host, RemoteService, "service", service.name, point, with_tables)
    return cast("AbstractContextManager[RunningService]", up)


def balancer_up_on(
    host: RemoteHost, ports: Sequence[int], stacks_host: str
) -> "AbstractContextManager[RemoteBalancer]":
    """Bring the plan's balancer up on a host, and down again.

    Args:
        ports: of the servers that it spreads requests over.
        stacks_host: the address at which they listen.

    Raises:
        Problem: it is not installed there or does not start, or its host is lost.
    """
    return _up_on(host, RemoteBalancer, "balancer", ports, stacks_host)


@contextmanager
def _up_on(host: RemoteHost, kind: "type[Remote]", method: str, *arguments: Any) -> "Iterator[Remote]":
    server = kind(host, host.call(0, method, *arguments).number)
    try:
        yield server
    finally:
        server.stop()


class RemoteMeter:
    """A `lab.meters.service.ServiceMeter` on a further host, of one service or balancer and of the host's machine."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self.machine: MachineMeter | None = None
        """what the host did in the window"""

    def prepare(self) -> None:
        """Nothing: the host is asked when the window opens."""

    def open(self) -> None:
        """Open the window. Raises Problem: its host is lost."""
        self.machine = None
        self._call("open_meter")

    def close(self, ended_seconds_ago: float = 0.0) -> ServerMeter:
        """Close the window, and return what its processes used in it. Raises Problem: its host is lost."""
        processes: ServerMeter
        processes, self.machine = self._call("close_meter", ended_seconds_ago)
        return processes

    def abandon(self) -> None:
        """Nothing: the host abandons it when the next is opened, and takes one sample a second."""


class RemoteServer:
    """A program that runs on another host, and is metered there."""

    pid = None

    def __init__(self, host: RemoteHost, number: int) -> None:
        self._host, self._number = host, number

    def fault(self) -> str | None:
        """How it ended, as its host has told, or that the host is lost; None while it runs."""
        return self._host.fault(self._number)

    def meter(self) -> RemoteMeter:
        """A new meter, of its processes and of its host."""
        return RemoteMeter(self._call)

    def stop(self) -> None:
        """Bring it down, if it is not lost with its host."""
        with suppress(Problem):
            self._call(CLOSE)

    def _call(self, method: str, *arguments: Any, **keywords: Any) -> Any:
        return self._host.call(self._number, method, *arguments, **keywords)


class RemoteBalancer(RemoteServer):
    """A balancer that runs on another host: a `lab.trial.running_balancer.RunningBalancer`."""

    def __init__(self, host: RemoteHost, number: int) -> None:
        super().__init__(host, number)
        self.host: str = host.address
        self.port: int = self._call("attributes", ["port"])["port"]


class RemoteService(RemoteServer):
    """A service that runs on another host and holds the tables: it follows all `PROTOCOLS`.

    Their methods are called on its host; those that stand here do more than that. Its attributes are those that it had
    when it was brought up, or reset.
    """

    def __init__(self, host: RemoteHost, number: int) -> None:
        super().__init__(host, number)
        self._clock = SAME_CLOCK
        self._attributes: Mapping[str, Any] = self._call("attributes", ATTRIBUTES)

    def reset(self) -> None:
        """Start the server anew on a new copy of the loaded data. Raises Problem: it did not start; it is down then."""
        self._call("reset")
        self._attributes = self._call("attributes", ATTRIBUTES)

    @contextmanager
    def changing(self, table: str, column: str, *, together: bool = False) -> Iterator[Change]:
        """To set that column of one row after the other. Changes that are one transaction are sent when it is left."""
        if together:
            changes: list[tuple[int, str]] = []
            yield lambda key, value: changes.append((key, value))
            self._call("change_all", table, column, changes)
        else:
            with self._within(self._call("changing", table, column)) as number:
                yield partial(self._host.call, number, "__call__")

    def before_changes(self) -> None:
        """Compare the clocks, while nothing is measured. Raises Problem: its host is lost."""
        self._clock = self._host.clock()

    def begin_changes(self, table: str, column: str, changes: Sequence[LaterChange], opened: float) -> None:
        """Have rows change from now on, each at its moment, by the lab there. Raises Problem: its host is lost."""
        late_seconds = time.monotonic() - opened
        moments = [LaterChange(each.after_seconds - late_seconds, each.key, each.value) for each in changes]
        self._call("begin_changes", table, column, moments)

    def end_changes(self) -> tuple[Mapping[int, int], float]:
        """Change no more. Returns and raises as `OnOtherHost.end_changes` says."""
        committed: Mapping[int, int] = self._call("end_changes")
        clock = over_time(self._clock, self._host.clock())
        ahead_ns = round(clock.ahead_seconds * 1e9)
        return {key: there_ns - ahead_ns for key, there_ns in committed.items()}, clock.error_seconds

    def settle(self, writes_at_end: int | None, longest_seconds: float) -> Settle:
        """As `lab.trial.settle.settle`, there. Raises Problem: its host is lost."""
        settled: Settle = self._call("settle", writes_at_end, longest_seconds)
        return settled

    def _called(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        try:
            answer = self._call(name, *arguments, **keywords)
        except Problem:
            if name in ANSWERS_WITHOUT_HOST:
                return ANSWERS_WITHOUT_HOST[name]
            raise
        if isinstance(answer, Lasting):
            return self._within(answer) if answer.is_context else self._rows(answer)
        return answer

    def _rows(self, lasting: Lasting) -> Iterator[dict[str, Any]]:
        try:
            while rows := json.loads(self._host.call(lasting.number, NEXT)):
                yield from rows
        finally:
            with suppress(Problem):
                self._host.call(lasting.number, CLOSE)

    @contextmanager
    def _within(self, lasting: Lasting) -> Iterator[int]:
        try:
            yield lasting.number
        finally:
            self._host.call(lasting.number, CLOSE)


def _method(name: str) -> Callable[..., Any]:
    return lambda service, *arguments, **keywords: service._called(name, *arguments, **keywords)


def _attribute(name: str) -> property:
    return property(lambda service: service._attributes[name])


for _names, _member in ((METHODS, _method), (ATTRIBUTES, _attribute)):
    for _name in _names:
        if not hasattr(RemoteService, _name):
            setattr(RemoteService, _name, _member(_name))
