"""What is PostgreSQL's own: what counts as what, and what is counted without statistics of statements."""

from pathlib import Path

import psycopg
import pytest

from fairtrial.catalog.services.model import ServiceStart
from fairtrial.catalog.services.postgresql import SERVICE, server
from fairtrial.catalog.services.postgresql.client import statement_kind
from tests.catalog.services.lab_client import lab_client
from tests.catalog.services.shared import Shared
from tests.catalog.services.stacks_side import execute, tables
from tests.catalog.services.stores import unheard
from tests.machine.needs import needs
from tests.waiting import wait_for


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT $1", "read"),
        ("  /* a framework\nsays so */ (select 1)", "read"),
        ("-- a word\nSELECT name FROM items WHERE id = $1 FOR UPDATE", "read"),
        ("WITH a AS (SELECT 1) SELECT * FROM a FOR NO KEY UPDATE", "read"),
        ("WITH a AS (DELETE FROM items RETURNING *) SELECT * FROM a", "write"),
        ("with a as (select $1) insert into items select * from a", "write"),
        ("PREPARE one (int, text) AS SELECT $1", "read"),
        ("PREPARE one AS UPDATE items SET name = $1", "write"),
        ("DECLARE c CURSOR FOR SELECT 1", "read"),
        ("FETCH FORWARD 10 FROM c", "fetch"),
        ("COPY items (id) FROM STDIN", "write"),
        ("COPY (SELECT name FROM items) TO STDOUT", "read"),
        ("TRUNCATE items", "alter"),
        ("create temporary table t (n int)", "other"),
        ("CREATE INDEX i ON items (name)", "alter"),
        ("BEGIN", "other"),
        ("", "other"),
    ],
)
def test_what_a_statement_does(query: str, kind: str) -> None:
    assert statement_kind(query) == kind


@needs("postgresql")
def test_cursors_copies_and_transactions_are_counted(shared: Shared) -> None:
    with shared.private("postgresql") as running:
        before = running.counters()
        with psycopg.connect(running.url) as connection:
            with connection.cursor(name="c") as cursor:
                cursor.execute("SELECT * FROM items")
                assert len(cursor.fetchmany(100)) == 100
            with connection.cursor() as plain, plain.copy("COPY (SELECT name FROM units) TO STDOUT") as copy:
                assert len(list(copy.rows())) == 1000
        after = running.counters()
        assert after["reads"] - before["reads"] == 2
        assert after["rows_read"] - before["rows_read"] == 1100
        assert not running.altered()
        with psycopg.connect(running.url) as connection:
            connection.execute("INSERT INTO units (name, value, label) SELECT 'unit', 0, 'blue' FROM items LIMIT 5")
        assert running.counters()["rows_written"] - after["rows_written"] == 5
        # Counted when the connection has ended.
        wait_for(lambda: running.counters()["commits"] >= before["commits"] + 2, "both commits are counted")


@needs("postgresql")
def test_without_statistics_of_statements_only_rows_and_commits_are_counted(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "has_statistics", lambda: False)
    monkeypatch.setattr(server, "LAYOUT", server.LAYOUT + 1000)
    with SERVICE.start(ServiceStart(tables())) as running:
        assert set(running.counters()) == {"commits", "rows_written"}
        assert not running.altered()
        execute(running.url, "UPDATE units SET value = 0 WHERE id = 7")
        wait_for(running.altered, "the change is counted, when the connection has ended")


@needs("postgresql")
def test_the_statements_that_an_external_login_sees_are_counted(shared: Shared) -> None:
    somebody = shared.empty("postgresql")
    superuser = lab_client(somebody)
    superuser.execute("CREATE EXTENSION pg_stat_statements")
    assert SERVICE.connect is not None
    try:
        with SERVICE.connect(somebody.url, tables(), unheard) as service:
            before = service.counters()
            execute(somebody.url, "SELECT * FROM units WHERE id < 11", times=3)
            assert service.counters()["rows_read"] - before["rows_read"] >= 30
            service.change("units", 1, "label", "green")
            assert not service.altered()
            execute(somebody.url, "DELETE FROM units WHERE id = 1")
            assert service.altered()
    finally:
        superuser.execute("DROP EXTENSION pg_stat_statements")
