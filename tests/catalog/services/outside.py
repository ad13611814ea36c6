"""Redis, memcached and MongoDB servers that somebody else runs, with what is known of them without the lab."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pymongo
import redis
from pymemcache.client.base import Client as Memcached
from pymemcache.exceptions import MemcacheError

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.common.folder import give_to_server
from fairtrial.catalog.services.common.lease import Marker
from fairtrial.catalog.services.common.server import Command, PrivateServer
from fairtrial.catalog.services.common.server_program import Location
from fairtrial.catalog.services.memcached.client import MemcachedClient
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.services.mongodb.program import installed_program
from tests.catalog.services.stores import STORES, Stored, memcached, unheard

PASSWORD = "s3cret-of-the-test"


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


def _memcached_command(_data: Path, port: int) -> list[str]:
    return ["memcached", "-l", LOOPBACK, "-p", str(port), "-U", "0"]


def _redis_command(data: Path, port: int) -> list[str]:
    return ["redis-server", "--bind", LOOPBACK, "--port", str(port), "--dir", str(data), "--requirepass", PASSWORD]


def _mongodb_command(data: Path, port: int) -> list[str]:
    program = installed_program()
    assert program is not None
    return program.loading_command(Location(data, port))  # asks for no password


def _redis_content(url: str) -> list[str]:
    with redis.Redis.from_url(url, decode_responses=True) as client:
        return sorted(client.scan_iter(count=1000))


def _redis_put(url: str, name: str, text: str = "theirs") -> None:
    with redis.Redis.from_url(url) as client:
        client.set(name, text)


def memcached_client(url: str) -> MemcachedClient:
    parts = urlsplit(url)
    assert parts.hostname and parts.port
    return MemcachedClient((parts.hostname, parts.port))


def _memcached_content(url: str) -> list[str]:
    client = memcached_client(url)
    with client.connection() as driver:
        return sorted(key.decode() for key in client.keys(driver))


def _memcached_empty(url: str) -> None:
    with closing(memcached(url)) as client:
        client.delete_many(_memcached_content(url), noreply=False)


def _memcached_put(url: str, name: str, text: str = "theirs") -> None:
    with closing(memcached(url)) as client:
        client.set(name, text, noreply=False)


def _redis_empty(url: str) -> None:
    with redis.Redis.from_url(url) as client:
        client.flushdb()


def _mongodb_empty(url: str) -> None:
    with pymongo.MongoClient[dict[str, Any]](url) as client:
        for name in _mongodb_content(url):
            client.get_default_database().drop_collection(name)


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
    command: Command
    answers: Callable[[int], bool]
    url: str
    """with a place for the port"""
    wrong_password: str
    malformed: tuple[str, ...]
    content: Callable[[str], list[str]]
    put: Callable[..., None]
    """`put(url, name, text)`: a key or a collection of this name"""
    empty: Callable[[str], object]
    """remove everything, whoever made it"""
    unmark: Callable[[str], object]
    marker: str
    left: str = "left"
    """what a lab may have left"""


BY_NAME = {str(stored): stored for stored in STORES}
REDIS = Outside(
    BY_NAME["redis-default"],
    _redis_command,
    _redis_answers,
    url=f"redis://:{PASSWORD}@{LOOPBACK}:{{}}/3",
    wrong_password=f"redis://:not-{PASSWORD}@{LOOPBACK}:{{}}/3",
    malformed=(f"redis://:{PASSWORD}@{LOOPBACK}:port/3",),
    content=_redis_content,
    put=_redis_put,
    empty=_redis_empty,
    unmark=lambda url: redis.Redis.from_url(url).delete("fairtrial:marker"),
    marker="fairtrial:marker",
)
MEMCACHED = Outside(
    BY_NAME["memcached-default"],
    _memcached_command,
    _memcached_answers,
    url=f"memcached://{LOOPBACK}:{{}}",
    wrong_password=f"memcached://someone:{PASSWORD}@{LOOPBACK}:{{}}",
    malformed=(
        f"memcached://{LOOPBACK}:port",
        f"memcached://{LOOPBACK}",
        "memcached://:{}",
        f"memcached://{LOOPBACK}:{{}}/0",
    ),
    content=_memcached_content,
    put=_memcached_put,
    empty=_memcached_empty,
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
    empty=_mongodb_empty,
    unmark=lambda url: (
        pymongo.MongoClient[dict[str, Any]](url).get_default_database().drop_collection("fairtrial_marker")
    ),
    marker="fairtrial_marker",
)
OUTSIDE = (REDIS, MEMCACHED, MONGODB)


@contextmanager
def server_of(outside: Outside, temporary: Path, *further: str) -> Iterator[str]:
    """One of them, with further options; yields its URL."""
    folder = Path(tempfile.mkdtemp(prefix="theirs-", dir=temporary))
    (folder / "data").mkdir()
    give_to_server(folder)

    def with_further(data: Path, port: int) -> list[str]:
        return [*outside.command(data, port), *further]

    with PrivateServer(outside.stored.name, folder, with_further, outside.answers) as server:
        server.start()
        yield outside.url.format(server.port)
    shutil.rmtree(folder)


def loaded(outside: Outside, url: str) -> AbstractContextManager[RunningService]:
    """The tables in it."""
    connect = outside.stored.service.connect
    assert connect is not None
    return connect(url, outside.stored.tables(), unheard)


def marker(silent_seconds: float) -> str:
    """That of a lab on another machine."""
    return Marker(
        lab="of-another",
        renewed_seconds=time.time() - silent_seconds,
        machine="elsewhere",
        process=1,
        started_ticks=1,
        prefixes=["earlier:"],
    ).model_dump_json()
