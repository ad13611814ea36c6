"""What holds for every service of keys or documents, private and tried on the real server."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService
from tests.catalog.services.needed import needs
from tests.catalog.services.stores import STORES, Stored, expected, unheard

ABSENT = 999_999_999
ON_EACH = [pytest.param(one, marks=needs(one.name), id=str(one)) for one in STORES]
GONE_WITHIN_SECONDS = 30


@pytest.fixture(params=ON_EACH)
def stored(request: pytest.FixtureRequest) -> Stored:
    one: Stored = request.param
    return one


@pytest.fixture
def running(stored: Stored, temporary: Path) -> Iterator[RunningService]:
    with stored.service.up(stored.tables(), stored.variant, unheard) as up:
        yield up


def processes(up: RunningService) -> list[psutil.Process]:
    """The server's own, below its guard."""
    assert up.pid is not None
    return psutil.Process(up.pid).children(recursive=True)


def test_it_holds_every_row_as_generated(stored: Stored, running: RunningService) -> None:
    (table,) = stored.tables()
    assert sorted(running.rows(table.name), key=lambda row: row["id"]) == expected(table)
    identity = running.identity
    assert (identity.name, identity.variant, identity.where) == (stored.name, stored.variant, "private")
    assert identity.product and identity.settings


def test_it_listens_on_loopback_alone_and_as_an_ordinary_user(running: RunningService) -> None:
    (server,) = processes(running)
    listening = {one.laddr.ip for one in server.net_connections(kind="inet") if one.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    assert 0 not in server.uids()
    assert server.username() != "root"


def test_reading_alters_nothing_and_writing_does(stored: Stored, running: RunningService) -> None:
    (table,) = stored.tables()
    row = table.rows.sample()[3]
    assert stored.read(running.url, row["id"]) == row[stored.column]
    assert stored.read(running.url, ABSENT) is None
    assert not running.altered()
    stored.write(running.url, row["id"], "other")
    assert running.altered()
    running.reset()
    assert not running.altered()
    assert stored.read(running.url, row["id"]) == row[stored.column]
    assert len(list(running.rows(table.name))) == table.rows.count


def test_a_change_of_the_labs_is_seen_and_is_no_alteration(stored: Stored, running: RunningService) -> None:
    (table,) = stored.tables()
    row = table.rows.sample()[5]
    running.change(table.name, row["id"], stored.column, "changed")
    assert stored.read(running.url, row["id"]) == "changed"
    running.change(table.name, row["id"], stored.column, row[stored.column])
    assert stored.read(running.url, row["id"]) == row[stored.column]
    assert not running.altered()


def test_a_change_of_what_is_not_there(stored: Stored, running: RunningService) -> None:
    (table,) = stored.tables()
    with pytest.raises(Problem, match=str(ABSENT)):
        running.change(table.name, ABSENT, stored.column, "x")
    with pytest.raises(Problem, match="nowhere"):
        running.change("nowhere", 1, stored.column, "x")
    with pytest.raises(Problem, match="nowhere"):
        list(running.rows("nowhere"))
    assert not running.altered()


def test_a_killed_server_is_told_and_brought_back(stored: Stored, running: RunningService) -> None:
    (table,) = stored.tables()
    assert running.fault() is None
    (server,) = processes(running)
    os.kill(server.pid, signal.SIGKILL)
    deadline = time.monotonic() + GONE_WITHIN_SECONDS
    while running.fault() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "signal 9" in (running.fault() or "")
    assert running.counters() == {}
    assert running.altered()
    running.reset()
    assert running.fault() is None
    assert not running.altered()
    row = table.rows.sample()[0]
    assert stored.read(running.url, row["id"]) == row[stored.column]


def test_what_was_loaded_is_at_hand_the_next_time(stored: Stored, temporary: Path) -> None:
    heard: list[tuple[str, int]] = []
    tables = stored.tables(seed=2, rows=21_000)
    told = [(tables[0].name, 20_000)]
    for again in (False, True):
        heard.clear()
        with stored.service.up(tables, stored.variant, lambda table, rows: heard.append((table, rows))):
            in_memory = stored.name == "memcached"
            assert heard == (told if in_memory or not again else [])


def test_it_is_brought_back_from_an_emptied_cache(
    stored: Stored, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    if (cache / "tools").exists():
        (tmp_path / "tools").symlink_to(cache / "tools")
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    (table,) = stored.tables(rows=100)
    with stored.service.up([table], stored.variant, unheard) as up:
        shutil.rmtree(tmp_path / "datasets", ignore_errors=True)
        up.reset()
        assert len(list(up.rows(table.name))) == table.rows.count


def test_a_service_that_is_not_installed(
    stored: Stored, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    lacking = stored.service.missing()
    assert lacking and lacking.remedy
    assert stored.service.version() is None
    with pytest.raises(Problem, match="cannot be started"), stored.service.up(stored.tables(), "default", unheard):
        pass
