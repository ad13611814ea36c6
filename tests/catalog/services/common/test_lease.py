"""A lease: one lab at a time, by a server's lock or by a marker. On stand-ins; real servers are in test_external_*."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.lease import FRESH_SECONDS, Lease, Marker, MarkerLease, SqlLock, read_marker

IN_USE = "another Fairtrial uses this database"


class Place:
    """A marker in memory."""

    name = "the marker"

    def __init__(self, text: str | None = None) -> None:
        self.text = text
        self.is_down = False

    def read(self) -> str | None:
        return self.text

    def swap(self, old: str | None, new: str) -> bool:
        if self.is_down:
            raise Problem("the store is down")
        if self.text != old:
            return False
        self.text = new
        return True


class Server:
    """A server's lock in memory: the client of one lab."""

    title = "a database"
    holder: Any = None

    def __init__(self, log: list[str]) -> None:
        self.log = log
        self.connections: list[object] = []

    def lasting_connection(self) -> Any:
        self.connections.append(object())
        return self.connections[-1]

    def try_lock(self, connection: Any) -> bool:
        if connection not in self.connections:
            raise Problem("the connection was cut")
        if Server.holder in (None, connection):
            Server.holder = connection
        return Server.holder is connection

    def cut_others(self, connection: Any) -> None:
        assert Server.holder is connection
        self.log.append("cut others")

    def disconnect(self, connection: Any) -> None:
        if connection in self.connections:
            self.connections.remove(connection)
        if Server.holder is connection:
            Server.holder = None


@pytest.fixture(params=["lock", "marker"])
def leases(request: pytest.FixtureRequest) -> tuple[Lease, Lease]:
    """Those of two labs on one database."""
    if request.param == "lock":
        Server.holder = None
        return SqlLock(Server([])), SqlLock(Server([]))
    place = Place()
    return MarkerLease("a store", place), MarkerLease("a store", place)


def test_a_second_lab_waits_for_the_first(leases: tuple[Lease, Lease]) -> None:
    first, second = leases
    assert not first.is_held()
    first.hold()
    first.hold()
    assert first.is_held()
    with pytest.raises(Problem, match=IN_USE) as caught:
        second.hold()
    assert caught.value.remedy
    assert not second.is_held() and first.is_held()
    first.evict_others()
    first.release()
    first.release()
    second.hold()
    assert second.is_held()
    second.release()


def test_a_lock_whose_connection_was_cut_is_taken_again() -> None:
    Server.holder = None
    server = Server([])
    with SqlLock(server) as lock:
        server.disconnect(server.connections[0])
        assert not lock.is_held()
        lock.evict_others()
        assert lock.is_held() and server.log == ["cut others"]
        Server.holder = "another lab"
        assert not lock.is_held()
        with pytest.raises(Problem, match=IN_USE):
            lock.evict_others()
    assert server.connections == []


def by_another_lab(**changes: Any) -> str:
    """The marker of a lab on another machine that was renewed just now."""
    fields = {
        "lab": "another",
        "renewed_seconds": time.time(),
        "machine": "elsewhere",
        "process": 1,
        "started_ticks": 1,
    }
    return Marker(**(fields | changes)).model_dump_json()


def lab_marker(**changes: Any) -> str:
    """A marker as a lab on this machine writes it."""
    place = Place()
    lease = MarkerLease("a store", place)
    lease.hold()
    lease.release()
    marker = read_marker(place.text)
    assert marker is not None
    return marker.model_copy(update=changes).model_dump_json()


def test_a_lab_on_another_machine_lives_until_it_was_silent_for_long() -> None:
    for age in (0.0, FRESH_SECONDS - 60, -60.0):
        with pytest.raises(Problem, match=IN_USE) as caught:
            MarkerLease("a store", Place(by_another_lab(renewed_seconds=time.time() - age))).hold()
        assert "12 hours" in caught.value.remedy and "the marker" in caught.value.remedy
    MarkerLease("a store", Place(by_another_lab(renewed_seconds=time.time() - FRESH_SECONDS - 60))).hold()


def test_a_lab_on_this_machine_lives_if_its_process_runs() -> None:
    parent = os.getppid()
    ticks = int(Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[19])
    with pytest.raises(Problem, match=IN_USE):
        MarkerLease("a store", Place(lab_marker(process=parent, started_ticks=ticks))).hold()
    for dead in ({"process": parent, "started_ticks": ticks + 1}, {"process": 2**22 + 1}):
        MarkerLease("a store", Place(lab_marker(**dead))).hold()


def test_a_marker_of_an_ended_lab_of_this_process_is_replaced() -> None:
    place = Place(lab_marker())
    lease = MarkerLease("a store", place, lambda: ["link:"])
    lease.hold()
    marker = read_marker(place.text)
    assert marker is not None and marker.prefixes == ["link:"]


def test_a_text_that_no_lab_wrote_stands_in_nobodys_way() -> None:
    assert read_marker("what lies here is Fairtrial's") is None
    MarkerLease("a store", Place("what lies here is Fairtrial's")).hold()


def test_a_marker_that_was_taken_or_removed_is_lost() -> None:
    place = Place()
    lease = MarkerLease("a store", place)
    lease.hold()
    place.text = by_another_lab()
    assert not lease.is_held()
    with pytest.raises(Problem, match=IN_USE):
        lease.hold()
    place.text = None
    assert not lease.is_held()
    with pytest.raises(Problem, match="no longer holds the marker"):
        lease.hold()
    assert place.text is None, "a lost marker is not written again"


def test_a_store_that_fails_while_the_marker_is_written() -> None:
    place = Place()
    place.is_down = True
    with pytest.raises(Problem, match="down"):
        MarkerLease("a store", place).hold()
    place.is_down = False
    MarkerLease("a store", place).hold()
