"""An external Redis, memcached and MongoDB: loaded, watched, restored, and left as they were."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from fairtrial.base.loopback import free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.external import external
from fairtrial.catalog.services.model import RunningService
from tests.catalog.services.outside import OUTSIDE, PASSWORD, Outside, server_of
from tests.catalog.services.shared import Shared
from tests.catalog.services.stores import unheard
from tests.machine.needs import needs

VARIABLE = "TEST_DATABASE_URL"


@pytest.fixture(params=[pytest.param(kind, marks=needs(kind.stored.name), id=kind.stored.name) for kind in OUTSIDE])
def outside(request: pytest.FixtureRequest) -> Outside:
    kind: Outside = request.param
    return kind


@pytest.fixture
def port(outside: Outside, shared: Shared) -> Iterator[int]:
    """Where somebody else's server listens; it is emptied after a test."""
    url = shared.outside(outside)
    port = urlsplit(url).port
    assert port is not None
    assert outside.content(url) == []
    yield port
    outside.empty(url)


@contextmanager
def refused(outside: Outside, url: str, monkeypatch: pytest.MonkeyPatch, match: str) -> Iterator[None]:
    """Connecting there is a problem, and its words hold nothing of the URL."""
    with pytest.raises(Problem, match=match) as caught, connected(outside, url, monkeypatch):
        pass
    words = f"{caught.value.reason} {caught.value.remedy}"
    assert PASSWORD not in words
    assert urlsplit(url).netloc not in words
    assert caught.value.__cause__ is None  # nor does what would be printed with a traceback
    yield


def connected(outside: Outside, url: str, monkeypatch: pytest.MonkeyPatch) -> AbstractContextManager[RunningService]:
    monkeypatch.setenv(VARIABLE, url)
    return external(outside.stored.service, VARIABLE, outside.stored.tables(), unheard)


def test_it_is_loaded_changed_brought_back_and_left_empty(
    outside: Outside, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, stored = outside.url.format(port), outside.stored
    (table,) = stored.tables()
    row = table.rows.sample()[3]
    with connected(outside, url, monkeypatch) as up:
        assert (up.identity.where, up.pid, up.url) == ("external", None, url)
        assert PASSWORD not in up.identity.model_dump_json()
        assert stored.read(url, row["id"]) == row[stored.column]
        up.change(table.name, row["id"], stored.column, "changed")
        assert stored.read(url, row["id"]) == "changed"
        assert not up.altered()
        stored.write(url, row["id"], "other")
        assert up.altered()
        up.reset()
        assert not up.altered()
        assert stored.read(url, row["id"]) == row[stored.column]
        assert len(list(up.rows(table.name))) == table.rows.count
        assert up.fault() is None
    assert outside.content(url) == []


def test_what_is_somebody_elses_is_not_touched(outside: Outside, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    url = outside.url.format(port)
    outside.put(url, "precious")
    with refused(outside, url, monkeypatch, "not Fairtrial's"):
        pass
    assert outside.content(url) == ["precious"]


def test_nothing_is_removed_once_the_marker_is_gone(
    outside: Outside, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = outside.url.format(port)
    with connected(outside, url, monkeypatch) as up:
        outside.unmark(url)
        with pytest.raises(Problem, match="no longer holds"):
            up.reset()
    assert outside.content(url)


def test_a_wrong_password(outside: Outside, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(outside, outside.wrong_password.format(port), monkeypatch, "password"):
        pass


def test_a_port_that_nobody_listens_on(outside: Outside, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(outside, outside.url.format(free_port()), monkeypatch, "cannot be reached"):
        pass


def test_a_malformed_url(outside: Outside, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for url in outside.malformed:
        with refused(outside, url.format(free_port()), monkeypatch, "malformed|names no database"):
            pass


def test_a_server_that_went_away(outside: Outside, run_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with server_of(outside, run_folders) as url, connected(outside, url, monkeypatch) as up:
        (server,) = [
            process
            for guard in psutil.Process().children()
            for process in guard.children(recursive=True)
            if Path(process.cwd()).is_relative_to(run_folders)
        ]
        server.kill()
        server.wait(30)
        assert "reached" in (up.fault() or "")
        with pytest.raises(Problem):
            up.reset()
