"""What holds for every private service of keys or documents, tried on the real server."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pymongo
import pytest
import redis

from fairtrial.base.loopback import listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import Addresses, RunningService, ServiceStart
from tests.catalog.services.shared import REPORT_EVERY_ROWS, Shared
from tests.catalog.services.stores import STORES, Stored, expected
from tests.machine.needs import needs
from tests.waiting import wait_for

ABSENT = 999_999_999
ELSEWHERE = ("redis-default", "mongodb-default")
ON_EACH = [pytest.param(stored, marks=needs(stored.name), id=str(stored)) for stored in STORES]
RESTORED = ("redis-default", "memcached-default")
"""One whose data are kept, and one that is loaded at each start; for all products the same code restores them."""


@pytest.fixture(params=ON_EACH)
def stored(request: pytest.FixtureRequest) -> Stored:
    stored: Stored = request.param
    return stored


@pytest.fixture
def running(stored: Stored, shared: Shared) -> Iterator[RunningService]:
    with shared.private(stored.name, stored.variant) as up:
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
    listening = {socket.laddr.ip for socket in server.net_connections("inet") if socket.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    assert 0 not in server.uids()
    assert server.username() != "root"


@pytest.mark.parametrize("stored", [each for each in ON_EACH if each.id in ELSEWHERE], indirect=True)
def test_at_an_address_of_its_own_it_asks_for_a_password(stored: Stored) -> None:
    """Which the address of a stack's host is no substitute for."""
    (table,) = stored.tables()
    row = table.rows.sample()[3]
    assert not stored.service.is_open
    at = Addresses(server="127.0.0.2", stacks="127.0.0.1")
    with stored.service.start(ServiceStart(stored.tables(), addresses=at)) as running:
        parts = urlsplit(running.url)
        assert parts.hostname == at.server and parts.port is not None
        assert not listens(parts.port), "it listens on loopback as well"
        assert stored.read(running.url, row["id"]) == row[stored.column]
        running.change(table.name, row["id"], stored.column, "changed")
        assert stored.read(running.url, row["id"]) == "changed" and not running.altered()
        _, _, address = parts.netloc.rpartition("@")
        with pytest.raises((redis.RedisError, pymongo.errors.PyMongoError)):
            stored.read(parts._replace(netloc=address).geturl(), row["id"])


def test_memcached_asks_for_no_password() -> None:
    assert pick_service("memcached").is_open


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
    assert "signal 9" in wait_for(running.fault, "its fault is known")
    assert running.counters() == {}
    assert running.altered()
    running.reset()
    assert running.fault() is None
    assert not running.altered()
    row = table.rows.sample()[0]
    assert stored.read(running.url, row["id"]) == row[stored.column]


def test_loading_is_reported_and_what_was_loaded_is_kept(
    stored: Stored, run_folders: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an empty cache but for installed servers: in that of all tests, the tables may have been loaded already."""
    del run_folders
    if (cache / "tools").exists():
        (tmp_path / "tools").symlink_to(cache / "tools")
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    (table,) = stored.tables()
    loading = [(table.name, count * REPORT_EVERY_ROWS) for count in range(1, table.rows.count // REPORT_EVERY_ROWS + 1)]

    def reported() -> list[tuple[str, int]]:
        reports: list[tuple[str, int]] = []
        with stored.service.start(
            ServiceStart([table], stored.variant, lambda name, rows: reports.append((name, rows)))
        ):
            return reports

    assert reported() == loading
    assert reported() == (loading if stored.name == "memcached" else [])


@pytest.mark.parametrize("stored", [stored for stored in ON_EACH if stored.id in RESTORED], indirect=True)
def test_it_is_restored_from_an_emptied_cache(
    stored: Stored, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    (table,) = stored.tables(rows=100)
    with stored.service.start(ServiceStart([table], stored.variant)) as up:
        shutil.rmtree(tmp_path / "datasets", ignore_errors=True)
        up.reset()
        assert len(list(up.rows(table.name))) == table.rows.count


def test_a_service_that_is_not_installed(
    stored: Stored, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    missing = stored.service.missing()
    assert missing and missing.remedy
    assert stored.service.version() is None
    with pytest.raises(Problem, match="cannot be started"), stored.service.start(ServiceStart(stored.tables())):
        pass
