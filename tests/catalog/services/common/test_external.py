"""An external service, on a stand-in for its server: what is done there, in which order, and what is never touched."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.common.client import State
from fairtrial.catalog.services.common.external import ExternalClient, ExternalService, external, external_service
from fairtrial.catalog.services.common.lab_work import LabWork
from fairtrial.catalog.services.common.sql_external import redactor
from fairtrial.catalog.services.model import Counters, RowsLoaded, one_by_one
from fairtrial.catalog.tables import LiteralRows, Table
from tests.catalog.services.stores import unheard

TABLES = [Table("things", {"id": "key", "text": "text"}, LiteralRows(("id", "text"), [(1, "a")]))]
URL = "redis://me:s3cret@localhost/3"


class Server(ExternalClient):
    """Both the client and the lease: it notes what is done, and fails where it is told to."""

    def __init__(self, *failing: str) -> None:
        self.failing = set(failing)
        self.done: list[str] = []
        self.written = False
        self.lab_work = LabWork()

    def _do(self, step: str) -> None:
        self.done.append(step)
        if step in self.failing:
            raise Problem(f"{step} failed")

    def ping(self) -> None:
        self._do("ping")

    def product(self) -> str:
        return "Thing 1.0"

    def settings(self) -> Mapping[str, str]:
        return {"durability": "none"}

    def load(self, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        self._do("load")

    def rows_written(self) -> int:
        if "rows written" in self.failing:
            raise Problem("rows written failed")
        return self.written

    def state(self) -> State:
        return {}

    def counters(self) -> Counters:
        self._do("counters")
        return {"reads": 3}

    def rows(self, table: Table) -> Iterator[dict[str, Any]]:
        return iter([{"id": 1, "text": table.name}])

    def change(self, table: Table, key: int, column: str, value: str) -> int:
        self._do(f"change {table.name}")
        return 1

    changing = one_by_one

    def close(self) -> None:
        self._do("close")

    def assert_only_labs_data(self) -> None:
        self._do("assert own")

    def clear(self, tables: Sequence[Table]) -> None:
        self._do("clear")

    def remove(self) -> None:
        self._do("remove")

    def hold(self) -> None:
        self._do("hold")

    def is_held(self) -> bool:
        return "hold" not in self.failing

    def evict_others(self) -> None:
        self._do("evict others")

    def release(self) -> None:
        self._do("release")


def entered(server: Server) -> AbstractContextManager[ExternalService]:
    return external_service("thing", URL, server, server, TABLES, unheard)


def test_it_is_loaded_under_the_lease_and_removed_at_the_end() -> None:
    server = Server()
    with entered(server) as service:
        assert server.done == ["assert own", "hold", "hold", "clear", "load"]
        assert (service.url, service.pid, service.identity.where) == (URL, None, "external")
        assert (service.identity.product, service.identity.settings) == ("Thing 1.0", {"durability": "none"})
        assert list(service.rows("things")) == [{"id": 1, "text": "things"}]
        service.change("things", 1, "text", "b")
        with service.changing("things", "text") as change:
            change(1, "c")
        assert server.done[-2:] == ["change things", "change things"]
        with pytest.raises(Problem, match="nowhere"):
            service.rows("nowhere")
        server.done.clear()
        service.reset()
        assert server.done == ["evict others", "hold", "clear", "load"]
        server.done.clear()
    assert server.done == ["hold", "remove", "release", "close"]


@pytest.mark.parametrize("failing", ["assert own", "hold"])
def test_what_is_not_the_labs_is_not_touched(failing: str) -> None:
    server = Server(failing)
    with pytest.raises(Problem, match=failing), entered(server):
        pass
    assert not {"clear", "load", "remove"} & set(server.done)
    assert server.done[-2:] == ["release", "close"]


@pytest.mark.parametrize("failing", ["clear", "load"])
def test_what_was_half_loaded_is_removed(failing: str) -> None:
    server = Server(failing)
    with pytest.raises(Problem, match=failing), entered(server):
        pass
    assert server.done[-4:] == ["hold", "remove", "release", "close"]


def test_a_lost_lease_ends_the_work_and_nothing_is_removed() -> None:
    server = Server()
    with entered(server) as service:
        assert not service.altered()
        server.failing.add("hold")
        assert service.altered()
        with pytest.raises(Problem, match="hold"):
            service.reset()
    assert "remove" not in server.done and server.done[-2:] == ["release", "close"]


def test_a_server_that_cannot_be_asked() -> None:
    server = Server()
    with entered(server) as service:
        assert (service.fault(), service.altered(), dict(service.counters())) == (None, "", {"reads": 3})
        server.written = True
        assert service.altered() == "its rows"
        server.failing |= {"ping", "rows written", "counters", "remove"}
        reason = "it cannot be asked: rows written failed"
        assert (service.fault(), service.altered(), dict(service.counters())) == ("ping failed", reason, {})


def test_the_url_comes_from_the_environment_and_is_in_no_message(
    monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    redis = pick_service("redis")
    monkeypatch.delenv("MY_URL", raising=False)
    with pytest.raises(Problem) as error:
        external(redis, "MY_URL", [], unheard)
    assert str(error.value) == snapshot
    for url in ("mysql://me:s3cret@localhost/3", "s3cret", "http://[s3cret"):
        monkeypatch.setenv("MY_URL", url)
        with pytest.raises(Problem, match=r"\[services\.redis\] url_from: .*MY_URL") as caught:
            external(redis, "MY_URL", [], unheard)
        assert "redis://" in caught.value.remedy
        assert "s3cret" not in caught.value.reason + caught.value.remedy


def test_a_sql_drivers_message_is_stripped_of_url_user_and_password() -> None:
    redact = redactor("postgresql://me:p%40ss@host:5432/mine?options=secret")
    for message in (
        "cannot connect to postgresql://me:p%40ss@host:5432/mine?options=secret",
        "password p@ss or p%40ss is wrong",
        "access denied for 'you'@me",
        "unknown option options=secret",
        "me:p%40ss@host:5432 is closed",
    ):
        shown = redact(message)
        assert not any(secret in shown for secret in ("p@ss", "p%40ss", "secret", "@me", "me:")), shown
    assert redact("syntax error") == "syntax error"
