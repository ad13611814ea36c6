"""Two labs and one external SQL database: the second is refused, and a dead one stands in nobody's way."""

import signal
import subprocess
import sys
import time
from contextlib import closing
from typing import Any

import pymysql
import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.mariadb.client import MariaClient
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.services.postgresql.client import PostgresClient
from fairtrial.catalog.tables import Table
from tests.catalog.services.shared import SQL, Shared
from tests.catalog.services.somebody import Somebody
from tests.catalog.services.stacks_side import connect, execute, tables
from tests.machine.needs import needs
from tests.waiting import wait_for

BOTH = [pytest.param(name, marks=needs(name)) for name in SQL]
LOCK = {"postgresql": PostgresClient.lock, "mariadb": MariaClient.lock}
OTHER_SESSIONS = {
    "postgresql": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE usename = current_user AND pid <> pg_backend_pid()",
    "mariadb": "SELECT id FROM information_schema.processlist WHERE id <> connection_id()",
}
NO_SUCH_THREAD = 1094
ROWS = 500
FREE_WITHIN_SECONDS = 30.0
LAB = """
import sys, time
from fairtrial.catalog.services import pick_service
from tests.catalog.services.test_external_sql_lease import items
with pick_service(sys.argv[1]).connect(sys.argv[2], items(), lambda table, count: None):
    print("loaded", flush=True)
    time.sleep(600)
"""


def items() -> list[Table]:
    """One table: a lease does not care how many there are."""
    return tables(ROWS)[:1]


@pytest.fixture(params=BOTH)
def somebody(request: pytest.FixtureRequest, shared: Shared) -> Somebody:
    return Somebody(shared.empty(request.param))


def cut_others(connection: Any, somebody: Somebody) -> None:
    """As an administrator may who ends sessions; of the lab's own only that of the lock is open."""
    with connection.cursor() as opened:
        opened.execute(OTHER_SESSIONS[somebody.name])
        for (session,) in opened.fetchall():
            if somebody.name == "mariadb":
                end_if_there(opened, session)


def end_if_there(opened: Any, session: int) -> None:
    """A session that was closed a moment ago may still be listed, and be gone when it is to be ended."""
    try:
        opened.execute(f"KILL {session:d}")
    except pymysql.err.OperationalError as error:
        if error.args[0] != NO_SUCH_THREAD:
            raise


def assert_whole(service: RunningService, somebody: Somebody) -> None:
    assert execute(somebody.url, "SELECT count(*) FROM items") == (ROWS,)
    assert len(list(service.rows("items"))) == ROWS


def test_a_second_lab_is_refused_until_the_first_has_ended(somebody: Somebody) -> None:
    with somebody.loaded(few=items()) as first:
        for _ in range(2):
            with (
                pytest.raises(Problem, match="another Fairtrial uses this database") as caught,
                somebody.loaded(few=items()),
            ):
                pass
            first.reset()
        assert caught.value.remedy
        assert not first.altered()
        assert_whole(first, somebody)
    with somebody.loaded(few=items()) as second:
        assert_whole(second, somebody)
    assert somebody.tables() == 0


def test_a_killed_lab_holds_nothing(somebody: Somebody) -> None:
    command = [sys.executable, "-c", LAB, somebody.name, somebody.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        assert lab.stdout.readline() == "loaded\n"
        with pytest.raises(Problem, match="another Fairtrial"), somebody.loaded(few=items()):
            pass
        lab.send_signal(signal.SIGKILL)
    assert somebody.tables() > 0
    wait_for(lambda: _taken_over(somebody), "the tables are taken over", within_seconds=FREE_WITHIN_SECONDS)
    assert somebody.tables() == 0


def _taken_over(somebody: Somebody) -> bool:
    try:
        with somebody.loaded(few=items()) as service:
            assert_whole(service, somebody)
    except Problem as problem:
        if "another Fairtrial" not in problem.reason:
            raise
        return False
    return True


def test_a_lock_that_was_cut_makes_the_tables_suspect_and_is_taken_again(somebody: Somebody) -> None:
    with somebody.loaded(few=items()) as service:
        assert not service.altered()
        with closing(connect(somebody.url)) as theirs:
            cut_others(theirs, somebody)
        wait_for(service.altered, "the session has ended that was told to", within_seconds=FREE_WITHIN_SECONDS)
        service.reset()
        assert not service.altered()
        with pytest.raises(Problem, match="another Fairtrial"), somebody.loaded(few=items()):
            pass
    assert somebody.tables() == 0


def test_a_lock_lost_to_another_lab_ends_the_work(somebody: Somebody) -> None:
    with closing(connect(somebody.url)) as other:
        with somebody.loaded(few=items()) as service:
            cut_others(other, somebody)
            assert_taken(other, somebody)
            assert service.altered()
            with pytest.raises(Problem, match="another Fairtrial uses this database"):
                service.reset()
            assert_whole(service, somebody)
        assert execute(somebody.url, "SELECT count(*) FROM items") == (ROWS,), "it is the other lab's to remove"
    with somebody.loaded(few=items()):
        pass
    assert somebody.tables() == 0


def assert_taken(connection: Any, somebody: Somebody) -> None:
    deadline = time.monotonic() + FREE_WITHIN_SECONDS
    taken = False
    while not taken:
        assert time.monotonic() < deadline
        with connection.cursor() as opened:
            opened.execute(LOCK[somebody.name])
            (taken,) = opened.fetchone()
