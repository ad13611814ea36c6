"""What databases count by table: real rows, whatever a statement says, and all of them when sessions have ended."""

import time
from collections.abc import Iterator

import pytest

from fairtrial.catalog.services.model import RunningService
from tests.catalog.services.shared import SQL, Shared
from tests.catalog.services.stacks_side import connect, execute, execute_prepared
from tests.machine.needs import needs

FIRST = "SELECT id FROM items WHERE id >= 1500 ORDER BY id LIMIT 1"
"""In the middle: to plan for a bound at an end of the table, PostgreSQL reads rows there."""


@pytest.fixture(params=[pytest.param(name, marks=needs(name)) for name in SQL])
def service(request: pytest.FixtureRequest, shared: Shared) -> Iterator[RunningService]:
    with shared.private(request.param) as running:
        yield running


def counted(service: RunningService, *statements: str) -> dict[str, int]:
    """What is counted by table of these statements, run by a stack that keeps its session open."""
    before = service.counters()
    connection = connect(service.url)
    try:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        service.end_sessions()
        after = service.counters()
        by_table = {name: after[name] - before[name] for name in after if "." in name and after[name] != before[name]}
        if "table_reads" in after:
            by_table["table_reads"] = after["table_reads"] - before["table_reads"]
        return by_table
    finally:
        connection.close()


def looked(service: RunningService, statements: int) -> dict[str, int]:
    """PostgreSQL counts statements that looked at a table as well, and at once."""
    return {"table_reads": statements} if service.identity.name == "postgresql" else {}


def test_rows_are_counted_where_they_were_read(service: RunningService) -> None:
    assert counted(service, *[FIRST] * 10) == {"rows_read.items": 10, **looked(service, 10)}
    assert counted(service, "SELECT count(*) FROM units") == {"rows_read.units": 1000, **looked(service, 1)}


def test_a_statement_that_touches_no_row_pays_for_none(service: RunningService) -> None:
    nothing = ["SELECT 1", "SELECT 1 AS items", "SELECT 1 FROM units WHERE false"]
    done = counted(service, *nothing * 5, "UPDATE units SET value = value + 1 WHERE false")
    assert done == looked(service, 0)
    missing = counted(service, "SELECT id FROM items WHERE id = -1")
    assert missing == looked(service, 1), "it looked for a row, and read none"


@pytest.mark.parametrize("prepared", [False, True])
def test_sleeps_are_counted_however_they_are_prepared_and_other_statements_hardly(
    service: RunningService, prepared: bool
) -> None:
    sleep = "SELECT pg_sleep(0.05)" if service.identity.name == "postgresql" else "SELECT SLEEP(0.05)"
    before = service.counters()["statement_milliseconds"]
    execute(service.url, "SELECT 1", times=10)
    nothing = service.counters()["statement_milliseconds"] - before
    (execute_prepared if prepared else execute)(service.url, sleep, times=4)
    assert service.counters()["statement_milliseconds"] - before - nothing >= 4 * 50 * 0.98
    assert nothing < 50


@needs("mariadb")
@pytest.mark.parametrize(
    ("statements", "transactions"),
    [
        ([FIRST] * 10, 10),
        (["BEGIN", FIRST, FIRST, "COMMIT"] * 5, 5),
        (["SET autocommit = 0", *["SELECT count(*) FROM units", "ROLLBACK"] * 5], 5),
        (["UPDATE units SET value = value WHERE id = 1"] * 5, 5),
        (["SELECT 1", "SELECT 1 FROM units WHERE false"] * 5, 0),
        (["SELECT id FROM items LIMIT 600"], 1),
        (["SELECT id FROM items WHERE id = 1 UNION ALL SELECT id FROM items WHERE id = 2"], 1),
        (["HANDLER items OPEN", "HANDLER items READ FIRST LIMIT 600"], 1),
    ],
)
def test_mariadb_tells_how_many_transactions_looked_at_a_table(
    shared: Shared, statements: list[str], transactions: int
) -> None:
    """Rows that one statement reads for many requests are its transaction's, as are those of a HANDLER."""
    with shared.private("mariadb") as running:
        before = running.counters()
        with connect(running.url) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
        counted_since = running.counters()["table_transactions"] - before["table_transactions"]
    assert transactions <= counted_since <= transactions + 2, "the statistics of tables, and InnoDB's own"


@needs("mariadb")
def test_an_update_that_changes_nothing_is_no_commit_that_wrote(shared: Shared) -> None:
    with shared.private("mariadb") as running:
        before = running.counters()
        execute(running.url, "UPDATE units SET value = value WHERE id = 1", times=10)
        nothing = running.counters()["writing_commits"] - before["writing_commits"]
        execute(running.url, "UPDATE units SET value = value + 1 WHERE id = 1", times=10)
        written = running.counters()["writing_commits"] - before["writing_commits"]
    assert nothing <= 2 and 10 <= written <= 12


def test_sessions_hand_in_what_they_read_within_seconds(service: RunningService) -> None:
    """With the session open. The ledger leaves three seconds for it."""
    name, before, connection = "rows_read.items", service.counters(), connect(service.url)
    try:
        with connection.cursor() as cursor:
            moments = []
            while not moments or moments[-1] < moments[0] + 2.5:
                cursor.execute(FIRST)
                moments.append(time.monotonic())
                connection.commit()
                time.sleep(0.01)
        handed_in = service.counters()[name] - before.get(name, 0)
        assert handed_in >= sum(moment < moments[-1] - 1.5 for moment in moments) > 0
    finally:
        connection.close()


def test_writing_is_counted_by_table_too(service: RunningService) -> None:
    insert = "INSERT INTO surveys (survey, user_number, answers) VALUES ('s8', 1, '{}')"
    done = counted(service, *[insert] * 5, "UPDATE units SET value = value + 1 WHERE id = 1")
    assert (done["rows_written.surveys"], done["rows_written.units"]) == (5, 1)
