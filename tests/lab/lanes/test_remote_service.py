"""A service on another host: rows change there at their moments of the window, and are told of by the clock here."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, cast

import pytest

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService
from fairtrial.lab.lanes.host_calls import ATTRIBUTES, CLOSE, METHODS, NEXT, PROTOCOLS, Lasting
from fairtrial.lab.lanes.remote_host import RemoteHost
from fairtrial.lab.lanes.remote_server import RemoteService
from fairtrial.lab.meters.service import LaterChange, OnOtherHost, has_processes
from fairtrial.lab.trial.later_changes import LaterChanges
from fairtrial.record.identity import ServiceIdentity
from tests.waiting import wait_for


class SomeHost:
    """Keeps what it is asked, and answers as it was told to."""

    def __init__(self, clocks: Sequence[ClockOffset], **answers: Any) -> None:
        identity = ServiceIdentity(name="postgresql", product="PostgreSQL", where="private")
        attributes = {"url": "postgresql://", "identity": identity, "durability_at_start": None}
        attributes |= {"loses_when_killed": "", "why_no_power_cut": ""}
        self._clocks, self._answers = list(clocks), {"attributes": attributes, **answers}
        self.calls: list[tuple[Any, ...]] = []

    def clock(self) -> ClockOffset:
        return self._clocks.pop(0)

    def call(self, target: int, method: str, *arguments: Any) -> Any:
        self.calls.append((method, *arguments) if target == 3 else (target, method, *arguments))
        answer = self._answers.get(method)
        if isinstance(answer, Problem):
            raise answer
        return answer


def service_on(host: SomeHost) -> RemoteService:
    service = RemoteService(cast("RemoteHost", host), 3)
    assert host.calls == [("attributes", ATTRIBUTES)]
    host.calls.clear()
    return service


def test_it_follows_all_protocols_and_calls_their_methods_there() -> None:
    host = SomeHost([], sessions=4)
    service: Any = service_on(host)
    assert all(isinstance(service, protocol) for protocol in PROTOCOLS[1:])
    assert all(hasattr(RemoteService, name) for name in METHODS)
    assert service.sessions() == 4 and service.pid is None and service.identity.product == "PostgreSQL"
    service.reset()
    assert service.url == "postgresql://" and host.calls == [("sessions",), ("reset",), ("attributes", ATTRIBUTES)]


def test_what_it_answers_without_its_host() -> None:
    lost = Problem("the host is lost")
    host = SomeHost([], altered=lost, counters=lost, end_sessions=lost, sessions=lost)
    service: Any = service_on(host)
    service.end_sessions()
    assert service.altered() == "its host is lost" and service.counters() == {}
    with pytest.raises(Problem, match="is lost"):
        service.sessions()


def test_rows_and_what_lasts_are_closed_there() -> None:
    host = SomeHost(
        [], rows=Lasting(5, False), **{NEXT: "[]"}, changing=Lasting(6, True), separate_disk=Lasting(7, True)
    )
    service: Any = service_on(host)
    assert list(service.rows("items")) == []
    with service.changing("items", "name") as change, service.separate_disk():
        change(7, "x")
    assert host.calls == [
        ("rows", "items"),
        (5, NEXT),
        (5, CLOSE),
        ("changing", "items", "name"),
        ("separate_disk",),
        (6, "__call__", 7, "x"),
        (7, CLOSE),
        (6, CLOSE),
    ]


def test_changes_are_told_of_by_the_clock_here() -> None:
    """The other clock is 5 s ahead, and gains 2 ms meanwhile: by half of that, and by its error, it may be wrong."""
    host = SomeHost([ClockOffset(5.0, 0.001), ClockOffset(5.002, 0.001)], end_changes={7: 105_001_000_000})
    service = service_on(host)
    assert isinstance(service, OnOtherHost) and has_processes(cast("RunningService", service))
    service.before_changes()
    assert host.calls == [], "clocks are compared before anything is measured"
    service.begin_changes("items", "name", [LaterChange(0.5, 7, "x"), LaterChange(0.1, 8, "y")], time.monotonic() - 0.3)
    ((method, table, column, changes),) = host.calls
    assert (method, table, column) == ("begin_changes", "items", "name")
    assert [(each.key, each.value) for each in changes] == [(7, "x"), (8, "y")]
    # Since the window opened, 0.3 s have passed: the second is due at once.
    assert changes[0].after_seconds <= 0.2 and changes[1].after_seconds <= -0.2
    committed, error_seconds = service.end_changes()
    assert committed == {7: 100_000_000_000} and error_seconds == pytest.approx(0.002)


def test_what_is_overdue_changes_at_once() -> None:
    changed: list[int] = []

    class Store:
        def changing(self, _table: str, _column: str) -> Any:
            return nullcontext(lambda key, _value: changed.append(key))

    changes = [LaterChange(-0.1, 7, "x"), LaterChange(60, 8, "y")]
    later = LaterChanges(cast("RunningService", Store()), "items", "name", changes, time.monotonic())
    wait_for(lambda: changed, "a change is made")
    assert list(later.committed()) == [7] == changed


def test_changes_of_one_transaction_are_sent_when_it_is_left() -> None:
    host = SomeHost([])
    with service_on(host).changing("items", "name", together=True) as change:
        change(7, "x")
        change(8, "y")
        assert host.calls == []
    assert host.calls == [("change_all", "items", "name", [(7, "x"), (8, "y")])]
