"""What holds for every private SQL database: loaded as described, watched, and restored when altered or killed."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partialmethod
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg
import pymysql
import pytest

from fairtrial.base.loopback import listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.common import server as private_server
from fairtrial.catalog.services.common.shared_memory import shared_memory_of
from fairtrial.catalog.services.common.sql import SqlClient
from fairtrial.catalog.services.model import Addresses, RunningService, ServiceStart
from tests.catalog.services.lab_client import data_of
from tests.catalog.services.shared import REPORT_EVERY_ROWS, SQL, Shared
from tests.catalog.services.stacks_side import ROWS, cursor, execute, execute_prepared, tables
from tests.machine.needs import needs, skip_without
from tests.waiting import wait_for

BOTH = [pytest.param(name, marks=needs(name)) for name in SQL]
FIRST = "SELECT * FROM items WHERE id >= 5 ORDER BY id LIMIT 1"


@contextmanager
def up(name: str, variant: str = "default", rows: int = ROWS) -> Iterator[RunningService]:
    with pick_service(name).start(ServiceStart(tables(rows), variant)) as running:
        yield running


@pytest.fixture(params=BOTH)
def service(request: pytest.FixtureRequest, shared: Shared) -> Iterator[RunningService]:
    with shared.private(request.param) as running:
        yield running


def done(service: RunningService, since: dict[str, int]) -> dict[str, int]:
    return {name: count - since[name] for name, count in service.counters().items()}


def servers_of(service: RunningService) -> list[psutil.Process]:
    assert service.pid is not None
    return psutil.Process(service.pid).children()


def test_the_tables_are_loaded_with_their_indexes(service: RunningService) -> None:
    stored = {row["id"]: row for row in service.rows("items")}
    assert len(stored) == ROWS
    (table, _, units) = tables()
    assert all(stored[row["id"]] == row for row in table.rows.sample())
    assert len(list(service.rows("units"))) == units.rows.count
    assert list(service.rows("surveys")) == []
    with cursor(service.url) as opened:
        opened.execute(f"EXPLAIN SELECT * FROM items WHERE uuid = '{table.rows.sample()[0]['uuid']}'")
        assert "items_uuid" in str(opened.fetchall())


def test_json_comes_back_as_it_was_stored(service: RunningService) -> None:
    insert = "INSERT INTO surveys (survey, user_number, answers) VALUES (%s, %s, %s)"
    stored = ['{"Q1":"ünï ☃ 𝄞"}', '"{\\"Q1\\":\\"a\\"}"', "null"]
    with cursor(service.url) as opened:
        for number, text in enumerate(stored):
            opened.execute(insert, ["s8", number, text])
    answers = {row["user_number"]: row["answers"] for row in service.rows("surveys")}
    assert answers == {0: {"Q1": "ünï ☃ 𝄞"}, 1: '{"Q1":"a"}', 2: None}
    assert service.altered()
    service.reset()
    assert list(service.rows("surveys")) == []


def test_the_database_assigns_keys_after_the_loaded_ones(service: RunningService) -> None:
    execute(service.url, "INSERT INTO units (name, value, label) VALUES ('unit', 0, 'blue')")
    assert execute(service.url, "SELECT max(id), count(*) FROM units") == (1001, 1001)


def test_reading_alters_nothing_and_is_counted(service: RunningService) -> None:
    before = dict(service.counters())
    execute(service.url, FIRST, times=10)
    counted = done(service, before)
    assert (counted["reads"], counted["writes"], counted["rows_read"], counted["rows_written"]) == (10, 0, 10, 0)
    assert counted["statements"] >= 10
    assert not service.altered()


def test_prepared_statements_are_counted_at_each_execution(service: RunningService) -> None:
    before = dict(service.counters())
    execute_prepared(service.url, FIRST, times=10)
    assert done(service, before)["reads"] == 10
    assert done(service, before)["rows_read"] == 10
    execute_prepared(service.url, "UPDATE items SET segment = segment + 1 WHERE id = (SELECT 1)", times=7)
    assert done(service, before)["writes"] == 7


def test_statements_prepared_in_sql_are_counted_too(service: RunningService) -> None:
    before = dict(service.counters())
    prepare = f"AS {FIRST}" if service.url.startswith("postgresql") else f"FROM '{FIRST}'"
    with cursor(service.url) as opened:
        opened.execute(f"PREPARE one {prepare}")
        for _ in range(6):
            opened.execute("EXECUTE one")
            opened.fetchall()
    assert done(service, before)["reads"] == 6
    assert not service.altered()


def test_writing_alters_and_reset_brings_back(service: RunningService) -> None:
    before, url = dict(service.counters()), service.url
    with cursor(service.url) as opened:
        opened.execute("DELETE FROM items WHERE id < 100")
        deleted = opened.rowcount
        assert deleted > 0
        assert done(service, before)["rows_written"] == deleted
        assert service.altered()
        service.reset()
        with pytest.raises(Exception, match=r"(?i)lost|closed|terminat|gone"):
            opened.execute("SELECT 1")
    assert service.url == url
    assert not service.altered()
    assert execute(service.url, "SELECT count(*) FROM items") == (ROWS,)


def test_a_stack_may_read_and_write_rows_and_nothing_else(service: RunningService) -> None:
    for statement in (
        "TRUNCATE units",
        "DROP TABLE units",
        "ALTER TABLE units ADD more bigint",
        "CREATE INDEX mine ON units (value)",
        "CREATE TABLE mine (id bigint)",
        "CREATE TEMPORARY TABLE mine (id bigint)",
        "SELECT * FROM mysql.global_priv",
    ):
        with pytest.raises(Exception, match=r"(?i)denied|permission|must be owner|does not exist"):
            execute(service.url, statement)
    execute(service.url, "DELETE FROM units WHERE id = 1")
    assert execute(service.url, "SELECT count(*) FROM units") == (999,)


def test_nobody_enters_the_labs_own_socket(service: RunningService) -> None:
    """As root it could change settings behind the lab's back: `ALTER SYSTEM SET fsync = off`."""
    port = urlsplit(service.url).port
    data = data_of(service)
    for password in ("", "lab", "root"):
        if service.identity.name == "postgresql":
            assert (data / f".s.PGSQL.{port}").is_socket()
            where = {"host": str(data), "port": port, "user": "lab", "dbname": "template1", "password": password}
            with pytest.raises(psycopg.OperationalError, match=r"(?i)password"):
                psycopg.connect(**where).execute("ALTER SYSTEM SET fsync = off")
        else:
            assert (data / "server.sock").is_socket()
            with pytest.raises(pymysql.OperationalError, match=r"(?i)denied"):
                pymysql.connect(unix_socket=str(data / "server.sock"), user="root", password=password)


def test_what_the_lab_changes_shows_and_is_not_counted(service: RunningService) -> None:
    row = tables()[0].rows.sample()[0]
    before = dict(service.counters())
    service.change("items", row["id"], "name", "anöther name")
    assert done(service, before)["writes"] == 0
    assert execute(service.url, f"SELECT name FROM items WHERE id = {row['id']}") == ("anöther name",)
    assert not service.altered()
    service.change("items", row["id"], "name", row["name"])
    with pytest.raises(Problem, match=r"refused"):
        service.change("items", row["id"], "no_such_column", "x")


def test_changes_one_after_the_other_take_one_connection(
    service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[bool] = []
    connect = SqlClient._connect

    def counting(client: SqlClient, loading: bool) -> Any:
        opened.append(loading)
        return connect(client, loading)

    monkeypatch.setattr(SqlClient, "_connect", counting)
    rows = tables()[0].rows.sample()[:2]
    for names in (["anöther name", "a third"], [row["name"] for row in rows]):
        opened.clear()
        with service.changing("items", "name") as change:
            for row, name in zip(rows, names, strict=True):
                change(row["id"], name)
                assert execute(service.url, f"SELECT name FROM items WHERE id = {row['id']}") == (name,)
        assert opened == [False]
    assert not service.altered()
    with pytest.raises(Problem, match=r"refused"), service.changing("items", "no_such_column") as change:
        change(rows[0]["id"], "x")


def test_changes_together_show_at_once_and_not_at_all_if_one_fails(service: RunningService) -> None:
    rows = tables()[0].rows.sample()[:2]
    shown = f"SELECT count(*) FROM items WHERE name = 'anöther name' AND id IN ({rows[0]['id']}, {rows[1]['id']})"
    with service.changing("items", "name", together=True) as change:
        for row in rows:
            change(row["id"], "anöther name")
        assert execute(service.url, shown) == (0,)
    assert execute(service.url, shown) == (2,)

    def fail() -> None:
        with service.changing("items", "name", together=True) as change:
            change(rows[0]["id"], rows[0]["name"])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert execute(service.url, shown) == (2,)
    for row in rows:
        service.change("items", row["id"], "name", row["name"])
    assert not service.altered()


def test_only_the_stacks_user_gets_in_and_only_by_its_password(service: RunningService) -> None:
    parts = urlsplit(service.url)
    password = parts.password
    assert password is not None and parts.hostname == "127.0.0.1"
    for user, word in [("fairtrial", "wrong"), ("fairtrial", ""), ("lab", ""), ("root", ""), ("mysql", "")]:
        netloc = f"{user}:{word}@{parts.hostname}:{parts.port}"
        with pytest.raises(Exception, match=r"(?i)denied|authentication|no pg_hba|password|plugin"):
            execute(parts._replace(netloc=netloc).geturl(), "SELECT 1")
    shown = [service.identity.model_dump_json()]
    for process in [psutil.Process(service.pid), *servers_of(service)]:
        shown += process.cmdline()
    logs = list(Path(tempfile.gettempdir()).glob("*/server.log"))
    assert logs
    shown += [path.read_text(errors="replace") for path in logs]
    assert not any(password in text for text in shown)


def test_durability_is_on_and_recorded(service: RunningService) -> None:
    settings = service.identity.settings
    if service.identity.name == "postgresql":
        assert (settings["fsync"], settings["synchronous_commit"]) == ("on", "on")
    else:
        assert (settings["innodb_flush_log_at_trx_commit"], settings["innodb_doublewrite"]) == ("1", "ON")
    assert service.identity.where == "private"
    assert service.identity.product == pick_service(service.identity.name).version()


def test_a_killed_server_says_so_and_is_brought_back(service: RunningService) -> None:
    (server,) = servers_of(service)
    memory = [shared_memory_of(process.pid) for process in [server, *server.children()]]
    assert service.fault() is None
    server.kill()
    assert "was killed by signal 9" in wait_for(service.fault, "its fault is known")
    assert service.altered()
    assert service.counters() == {}
    with pytest.raises(Problem, match="cannot be reached"):
        next(service.rows("items"))
    service.reset()
    files = [file for mapped in memory for file in mapped.files]
    assert bool(files) == (service.identity.name == "postgresql")
    assert not any(file.exists() for file in files)
    assert service.fault() is None
    assert execute(service.url, "SELECT count(*) FROM items") == (ROWS,)
    assert not service.altered()


@pytest.mark.parametrize("name", BOTH)
def test_loading_is_reported(name: str, run_folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into an empty cache: in that of all tests, another worker may have loaded these tables already."""
    del run_folders
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    reports: list[tuple[str, int]] = []
    with pick_service(name).start(ServiceStart(tables(), on_rows=lambda table, count: reports.append((table, count)))):
        pass
    assert reports == [("items", count * REPORT_EVERY_ROWS) for count in (1, 2, 3)] + [("units", REPORT_EVERY_ROWS)]


@pytest.mark.parametrize("name", BOTH)
def test_loaded_data_are_kept_and_a_lock_left_in_them_hinders_nobody(name: str, shared: Shared, cache: Path) -> None:
    with shared.private(name):
        pass
    reports: list[tuple[str, int]] = []
    kept = next((cache / "datasets").glob(f"{name}-items-surveys-units-*/data"))
    leftovers = [kept / file for file in ("postmaster.pid", "server.pid")]
    for file in leftovers:  # naming a process that lives: this one
        file.write_text(f"{os.getpid()}\n{kept}\n0\n5432\n\n\n\n")
    try:
        with pick_service(name).start(
            ServiceStart(tables(), on_rows=lambda table, count: reports.append((table, count)))
        ) as running:
            assert running.fault() is None
        assert reports == []
    finally:
        for file in leftovers:
            file.unlink()


@pytest.mark.parametrize("name", BOTH)
def test_the_variant_that_trades_durability(name: str, temporary: Path) -> None:
    assert "lost" in pick_service(name).variants["relaxed"]
    with up(name, "relaxed") as running:
        assert running.identity.variant == "relaxed"
        settings = running.identity.settings
    assert settings.get("synchronous_commit", settings.get("innodb_flush_log_at_trx_commit")) in ("off", "2")
    with pytest.raises(Problem, match="relaxed"), up(name, "fast"):
        pass


@pytest.mark.parametrize("name", SQL)
def test_a_missing_program_is_named_with_its_package(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    service: Any = pick_service(name)
    monkeypatch.setattr(service.missing.__self__, "usual_folders", ("/nonexistent/bin",))
    missing = service.missing()
    assert (
        missing is not None
        and missing.packages == {"postgresql": ("postgresql",), "mariadb": ("mariadb-server",)}[name]
    )
    assert service.version() is None
    with pytest.raises(Problem, match="not found") as caught, up(name):
        pass
    assert "apt install" in caught.value.remedy


@pytest.mark.parametrize("name", BOTH)
def test_a_start_that_takes_too_long(name: str, shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    with shared.private(name):
        pass
    monkeypatch.setattr(private_server, "READY_WITHIN_SECONDS", 0.0)
    # On a busy machine the server is sooner ready than it is asked for the first time.
    start = partialmethod(private_server.PrivateServer.start, is_ready=lambda _: False)
    monkeypatch.setattr(private_server.PrivateServer, "start", start)
    with pytest.raises(Problem, match="did not serve within"), up(name):
        pass


@pytest.mark.parametrize("name", BOTH)
def test_a_full_disk(name: str, shared: Shared, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without("mounts")
    small = temporary / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "none", str(small)], capture_output=True, check=False
    )
    try:
        assert mounted.returncode == 0
        monkeypatch.setattr(tempfile, "tempdir", str(small))
        with pytest.raises(Problem, match=r"(?i)space") as loading, up(name, rows=2999):
            pass
        assert "space" in loading.value.remedy
        monkeypatch.setattr(tempfile, "tempdir", str(temporary))
        with shared.private(name):
            pass
        monkeypatch.setattr(tempfile, "tempdir", str(small))
        with pytest.raises(Problem, match="cannot be copied"), up(name):
            pass
        assert list(small.iterdir()) == []
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", str(small)], check=True)
        small.rmdir()


HOST = "127.0.0.2"
"""Of this machine, as all addresses that begin with 127 are. Who connects to it comes from 127.0.0.1."""


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(("stacks", "is_let_in"), [("127.0.0.1", True), ("10.203.118.9", False)])
def test_at_an_address_of_its_own_it_lets_in_the_stacks_host_alone(name: str, stacks: str, is_let_in: bool) -> None:
    service = pick_service(name)
    assert not service.is_open
    with service.start(ServiceStart(tables(), addresses=Addresses(server=HOST, stacks=stacks))) as running:
        parts = urlsplit(running.url)
        assert parts.hostname == HOST and parts.port is not None
        assert not listens(parts.port), "it listens on loopback as well"
        if is_let_in:
            assert execute(running.url, "SELECT count(*) FROM items")[0] == ROWS
            assert running.counters()["reads"] >= 1
            execute(running.url, "UPDATE items SET name = 'x' WHERE id = 5")
            assert running.altered()
            running.reset()
            assert not running.altered() and running.fault() is None
        else:
            with pytest.raises((psycopg.Error, pymysql.Error)):
                execute(running.url, "SELECT 1")
