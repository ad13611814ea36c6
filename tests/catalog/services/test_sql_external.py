"""SQL databases that run already: only what Fairtrial made is touched, and nothing of it stays."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from fairtrial.base.loopback import free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.external import external
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.services.sql.external import MARKER
from fairtrial.catalog.tables import ColumnKind, LiteralRows, Table
from tests.catalog.services.needed import needs
from tests.catalog.services.stacks_side import ROWS, execute, tables

BOTH = [pytest.param(name, marks=needs(name)) for name in ("postgresql", "mariadb")]


class Somebody:
    """Somebody else's server with an empty database; nothing may be in it at the end of a test."""

    def __init__(self, running: RunningService) -> None:
        self.running, self.url, self.name = running, running.url, running.identity.name

    def loaded(self, url: str = "", rows: int = ROWS) -> AbstractContextManager[RunningService]:
        connect = pick_service(self.name).connect
        assert connect is not None
        return connect(url or self.url, tables(rows), lambda table, count: None)

    def tables(self) -> int:
        schema = "current_schema()" if self.name == "postgresql" else "database()"
        (count,) = execute(self.url, f"SELECT count(*) FROM information_schema.tables WHERE table_schema = {schema}")
        return int(count)

    def with_netloc(self, netloc: str) -> str:
        return urlsplit(self.url)._replace(netloc=netloc).geturl()


@pytest.fixture(scope="module", params=BOTH)
def servers(request: pytest.FixtureRequest, cache: Path, temporary: Path) -> Iterator[Somebody]:
    """A private server without tables, in the part of somebody else's."""
    with pick_service(request.param).up([], "default", lambda table, count: None) as running:
        yield Somebody(running)


@pytest.fixture
def somebody(servers: Somebody) -> Iterator[Somebody]:
    assert servers.tables() == 0
    yield servers
    assert servers.tables() == 0


def test_loaded_watched_brought_back_and_removed(somebody: Somebody) -> None:
    with somebody.loaded() as service:
        assert (service.pid, service.fault(), service.url) == (None, None, somebody.url)
        assert service.identity.where == "external"
        assert urlsplit(somebody.url).password not in service.identity.model_dump_json()
        right = tables()[0].rows.sample()[0]
        assert right in list(service.rows("items"))
        assert not service.altered()
        service.change("items", right["id"], "name", "x")
        assert not service.altered()
        assert service.counters()["rows_written"] >= ROWS
        execute(somebody.url, "UPDATE units SET value = value + 1 WHERE id < 10")
        assert service.altered()
        service.reset()
        assert not service.altered()
        assert right in list(service.rows("items"))
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
        said = caught.value.reason + caught.value.remedy + repr(caught.value.__cause__)
        assert not any(secret in said for secret in ("s3cr", url, parts.password)), why
        assert caught.value.__suppress_context__ and caught.value.remedy


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
@pytest.mark.parametrize("rest", ["//u:s3cret@127.0.0.1:1", "//u:s3cret@127.0.0.1:port/db", "//u:s3cret@[::1/db", "/"])
def test_a_url_that_cannot_be_read(name: str, rest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service = pick_service(name)
    for scheme in service.schemes:
        monkeypatch.setenv("TEST_DATABASE_URL", f"{scheme}:{rest}")
        entered = pytest.raises(Problem)
        with entered as caught, external(service, "TEST_DATABASE_URL", [], lambda table, count: None):
            pass
        assert "s3cret" not in caught.value.reason + caught.value.remedy


def test_loading_that_is_refused_leaves_nothing(somebody: Somebody) -> None:
    columns: dict[str, ColumnKind] = {"id": "key", "name": "text"}
    right = Table(name="fine", columns=columns, rows=LiteralRows(("id", "name"), [(1, "a"), (2, "b")]))
    twice = Table(name="twice", columns=columns, rows=LiteralRows(("id", "name"), [(1, "a"), (1, "b")]))
    connect = pick_service(somebody.name).connect
    assert connect is not None
    refused = pytest.raises(Problem, match=r"refused|not what was generated")
    with refused, connect(somebody.url, [right, twice], lambda table, count: None):
        pass
