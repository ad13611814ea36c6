"""A Redis, a memcached and a MongoDB that run already: a place of the lab's own on them, left as it was found."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pymongo
import pytest
import redis
from pymemcache.client.base import Client as Memcached
from pymemcache.exceptions import MemcacheError

from fairtrial.placement.cpus import LOOPBACK, free_port
from fairtrial.problem import Problem
from fairtrial.services.external import external
from fairtrial.services.model import RunningService
from fairtrial.services.private.folder import give_to_server
from fairtrial.services.private.mongo_program import found_program
from fairtrial.services.private.server import Command, PrivateServer
from fairtrial.services.stores.memcached import walk
from tests.services.needed import needs
from tests.services.stores import STORES, Stored, memcached, unheard

PASSWORD = "s3cret-of-the-test"
VARIABLE = "TEST_DATABASE_URL"


def _redis_answers(port: int) -> bool:
    try:
        with redis.Redis(port=port, password=PASSWORD) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _mongodb_answers(port: int) -> bool:
    try:
        with pymongo.MongoClient[dict[str, Any]](LOOPBACK, port, serverSelectionTimeoutMS=1000) as client:
            return bool(client.admin.command("ping"))
    except pymongo.errors.PyMongoError:
        return False


def _memcached_answers(port: int) -> bool:
    try:
        with closing(Memcached((LOOPBACK, port))) as client:
            client.version()
    except (MemcacheError, OSError):
        return False
    return True


def _memcached_command(_folder: Path) -> Command:
    return lambda _data, port: ["memcached", "-l", LOOPBACK, "-p", str(port), "-U", "0"]


def _redis_command(_folder: Path) -> Command:
    return lambda data, port: [
        *("redis-server", "--bind", LOOPBACK, "--port", str(port), "--dir", str(data), "--requirepass", PASSWORD)
    ]


def _mongodb_command(folder: Path) -> Command:
    program = found_program()
    assert program is not None
    return program.command(folder)


def _redis_content(url: str) -> list[str]:
    with redis.Redis.from_url(url, decode_responses=True) as client:
        return sorted(client.scan_iter(count=1000))


def _redis_put(url: str, name: str, text: str = "theirs") -> None:
    with redis.Redis.from_url(url) as client:
        client.set(name, text)


def _memcached_content(url: str) -> list[str]:
    parts = urlsplit(url)
    assert parts.hostname and parts.port
    return sorted(key.decode() for key in walk((parts.hostname, parts.port)))


def _memcached_put(url: str, name: str, text: str = "theirs") -> None:
    with closing(memcached(url)) as client:
        client.set(name, text, noreply=False)


def _mongodb_content(url: str) -> list[str]:
    with pymongo.MongoClient[dict[str, Any]](url) as client:
        return sorted(client.get_default_database().list_collection_names())


def _mongodb_put(url: str, name: str, text: str = "theirs") -> None:
    with pymongo.MongoClient[dict[str, Any]](url) as client:
        client.get_default_database()[name].replace_one({"_id": "lab"}, {"text": text}, upsert=True)


@dataclass(frozen=True)
class Outside:
    """A kind of server that somebody else runs."""

    stored: Stored
    command: Callable[[Path], Command]
    answers: Callable[[int], bool]
    url: str
    """with a place for the port"""
    wrong_password: str | None
    """as `url`; None where there are no passwords"""
    malformed: tuple[str, ...]
    content: Callable[[str], list[str]]
    put: Callable[..., None]
    """`put(url, name, text)`: a key or a collection of this name"""
    unmark: Callable[[str], object]
    marker: str
    left: str = "left"
    """what a lab may have left"""


BY_NAME = {str(one): one for one in STORES}
REDIS = Outside(
    BY_NAME["redis-default"],
    _redis_command,
    _redis_answers,
    url=f"redis://:{PASSWORD}@{LOOPBACK}:{{}}/3",
    wrong_password=f"redis://:not-{PASSWORD}@{LOOPBACK}:{{}}/3",
    malformed=(f"redis://:{PASSWORD}@{LOOPBACK}:port/3",),
    content=_redis_content,
    put=_redis_put,
    unmark=lambda url: redis.Redis.from_url(url).delete("fairtrial:marker"),
    marker="fairtrial:marker",
)
MEMCACHED = Outside(
    BY_NAME["memcached-default"],
    _memcached_command,
    _memcached_answers,
    url=f"memcached://{LOOPBACK}:{{}}",
    wrong_password=None,
    malformed=(
        f"memcached://{LOOPBACK}:port",
        f"memcached://{LOOPBACK}",
        "memcached://:{}",
        f"memcached://someone:{PASSWORD}@{LOOPBACK}:{{}}",
        f"memcached://{LOOPBACK}:{{}}/0",
    ),
    content=_memcached_content,
    put=_memcached_put,
    unmark=lambda url: memcached(url).delete("fairtrial:marker", noreply=False),
    marker="fairtrial:marker",
    left="earlier:1",
)
MONGODB = Outside(
    BY_NAME["mongodb-default"],
    _mongodb_command,
    _mongodb_answers,
    url=f"mongodb://{LOOPBACK}:{{}}/trials",
    wrong_password=f"mongodb://someone:{PASSWORD}@{LOOPBACK}:{{}}/trials?authSource=admin",
    malformed=(f"mongodb://a:{PASSWORD}@{LOOPBACK}:port/trials", f"mongodb://{LOOPBACK}:{{}}"),
    content=_mongodb_content,
    put=_mongodb_put,
    unmark=lambda url: (
        pymongo.MongoClient[dict[str, Any]](url).get_default_database().drop_collection("fairtrial_marker")
    ),
    marker="fairtrial_marker",
)
OUTSIDE = (REDIS, MEMCACHED, MONGODB)


@pytest.fixture(params=[pytest.param(one, marks=needs(one.stored.name), id=one.stored.name) for one in OUTSIDE])
def outside(request: pytest.FixtureRequest) -> Outside:
    one: Outside = request.param
    return one


@pytest.fixture
def port(outside: Outside, temporary: Path) -> Iterator[int]:
    """Where a server of somebody else's listens."""
    folder = temporary / "theirs"
    (folder / "data").mkdir(parents=True)
    command = outside.command(folder)
    give_to_server(folder)
    with PrivateServer(outside.stored.name, folder, command, outside.answers) as server:
        server.start()
        yield server.port
    shutil.rmtree(folder)


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
    if outside.wrong_password is None:
        pytest.skip("it has no passwords")
    with refused(outside, outside.wrong_password.format(port), monkeypatch, "password"):
        pass


def test_a_port_that_nobody_listens_on(outside: Outside, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(outside, outside.url.format(free_port()), monkeypatch, "cannot be reached"):
        pass


def test_a_malformed_url(outside: Outside, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for url in outside.malformed:
        with refused(outside, url.format(free_port()), monkeypatch, "malformed|names no database"):
            pass


def test_a_server_that_went_away(outside: Outside, port: int, monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
    with connected(outside, outside.url.format(port), monkeypatch) as up:
        (server,) = [
            process
            for guard in psutil.Process().children()
            for process in guard.children(recursive=True)
            if Path(process.cwd()).is_relative_to(temporary)
        ]
        server.kill()
        server.wait(30)
        assert "reached" in (up.fault() or "")
        with pytest.raises(Problem):
            up.reset()
