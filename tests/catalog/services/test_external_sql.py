"""External SQL databases: only what Fairtrial made is touched, and nothing of it stays."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from fairtrial.base.loopback import free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.common.external import external
from fairtrial.catalog.services.common.sql import MARKER
from fairtrial.catalog.tables import ColumnKind, LiteralRows, Table
from tests.catalog.services.shared import SQL, Shared
from tests.catalog.services.somebody import Somebody
from tests.catalog.services.stacks_side import ROWS, execute, tables
from tests.catalog.services.stores import unheard
from tests.machine.needs import needs

BOTH = [pytest.param(name, marks=needs(name)) for name in SQL]


@pytest.fixture(params=BOTH)
def somebody(request: pytest.FixtureRequest, shared: Shared) -> Iterator[Somebody]:
    """Nothing is in the database before a test and after it."""
    somebody = Somebody(shared.empty(request.param))
    assert somebody.tables() == 0
    yield somebody
    assert somebody.tables() == 0


def test_loaded_watched_brought_back_and_removed(somebody: Somebody) -> None:
    with somebody.loaded() as service:
        assert (service.pid, service.fault(), service.url) == (None, None, somebody.url)
        assert service.identity.where == "external"
        assert urlsplit(somebody.url).password not in service.identity.model_dump_json()
        row = tables()[0].rows.sample()[0]
        assert row in list(service.rows("items"))
        assert not service.altered()
        service.change("items", row["id"], "name", "x")
        assert not service.altered()
        assert service.counters()["rows_written"] >= ROWS
        execute(somebody.url, "UPDATE units SET value = value + 1 WHERE id < 10")
        assert service.altered()
        service.reset()
        assert not service.altered()
        assert row in list(service.rows("items"))
        assert execute(somebody.url, "SELECT sum(value) FROM units")[0] == 500_500
        if somebody.name == "postgresql":
            assert "statements" not in service.counters(), "what the login may not see is left out"


def test_a_database_that_holds_something_else_is_left_alone(somebody: Somebody) -> None:
    execute(somebody.url, "CREATE TABLE items (precious int)")
    execute(somebody.url, "INSERT INTO items VALUES (1)")
    with pytest.raises(Problem, match=r"not Fairtrial's: items") as caught, somebody.loaded():
        pass
    assert "empty" in caught.value.remedy
    assert execute(somebody.url, "SELECT precious FROM items") == (1,)
    execute(somebody.url, "DROP TABLE items")


def test_a_view_of_somebody_is_something_else_too(somebody: Somebody) -> None:
    execute(somebody.url, "CREATE VIEW everything AS SELECT 42 AS answer")
    with pytest.raises(Problem, match="everything"), somebody.loaded():
        pass
    execute(somebody.url, "DROP VIEW everything")


def test_what_a_killed_fairtrial_left_is_replaced(somebody: Somebody) -> None:
    execute(somebody.url, f"CREATE TABLE {MARKER} (name varchar(64) NOT NULL PRIMARY KEY)")
    execute(somebody.url, f"INSERT INTO {MARKER} VALUES ('items'), ('units'), ('never_made')")
    execute(somebody.url, "CREATE TABLE items (half int)")
    with somebody.loaded() as service:
        assert len(list(service.rows("items"))) == ROWS


def test_what_stands_beside_the_leftovers_stops_it(somebody: Somebody) -> None:
    execute(somebody.url, f"CREATE TABLE {MARKER} (name varchar(64) NOT NULL PRIMARY KEY)")
    execute(somebody.url, "CREATE TABLE precious (n int)")
    with pytest.raises(Problem, match="precious"), somebody.loaded():
        pass
    for name in (MARKER, "precious"):
        execute(somebody.url, f"DROP TABLE {name}")


def test_wrong_credentials_and_nobody_there(somebody: Somebody) -> None:
    parts = urlsplit(somebody.url)
    wrong = {
        "a wrong password": somebody.with_netloc(f"fairtrial:s3cr%40t-pw@{parts.hostname}:{parts.port}"),
        "nobody there": somebody.with_netloc(f"fairtrial:s3cr%40t-pw@{parts.hostname}:{free_port()}"),
        "no such database": parts._replace(path="/elsewhere").geturl(),
    }
    for why, url in wrong.items():
        with pytest.raises(Problem, match="cannot be reached") as caught, somebody.loaded(url):
            pass
        message = caught.value.reason + caught.value.remedy + repr(caught.value.__cause__)
        assert not any(secret in message for secret in ("s3cr", url, parts.password)), why
        assert caught.value.__suppress_context__ and caught.value.remedy


@pytest.mark.parametrize("name", SQL)
@pytest.mark.parametrize("rest", ["//u:s3cret@127.0.0.1:1", "//u:s3cret@127.0.0.1:port/db", "//u:s3cret@[::1/db", "/"])
def test_a_url_that_cannot_be_read(name: str, rest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service = pick_service(name)
    for scheme in service.schemes:
        monkeypatch.setenv("TEST_DATABASE_URL", f"{scheme}:{rest}")
        entered = pytest.raises(Problem)
        with entered as caught, external(service, "TEST_DATABASE_URL", [], unheard):
            pass
        assert "s3cret" not in caught.value.reason + caught.value.remedy


def test_loading_that_is_refused_leaves_nothing(somebody: Somebody) -> None:
    columns: dict[str, ColumnKind] = {"id": "key", "name": "text"}
    fine = Table(name="fine", columns=columns, rows=LiteralRows(("id", "name"), [(1, "a"), (2, "b")]))
    twice = Table(name="twice", columns=columns, rows=LiteralRows(("id", "name"), [(1, "a"), (1, "b")]))
    connect = pick_service(somebody.name).connect
    assert connect is not None
    refused = pytest.raises(Problem, match=r"refused|not what was generated")
    with refused, connect(somebody.url, [fine, twice], unheard):
        pass
