"""Servers that are killed while clients write, and started again on their files: what each of them keeps."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pymongo
import pymysql
import pytest
import redis

from fairtrial.catalog.services.model import CanBeKilled, RunningService
from tests.catalog.services import stacks_side
from tests.catalog.services.shared import Shared
from tests.machine.lack import Lack
from tests.machine.needs import needs, skip_for, skip_without

Insert = Callable[[int], object]
"""Stores one row with this number."""

INSERT = "INSERT INTO surveys (survey, user_number, answers) VALUES ('s8', %s, '{}')"
ENOUGH = 60
"""Rows acknowledged before the kill."""

CRASHES_AT_MOST = 5
"""Of a database that writes its log now and then: just after it did, a crash loses nothing."""

WITHIN_SECONDS = 20.0
LOST = (psycopg.Error, pymysql.Error, redis.RedisError, pymongo.errors.PyMongoError, OSError)


def sql(url: str) -> Iterator[Insert]:
    with closing(stacks_side.connect(url)) as connection, connection.cursor() as cursor:
        yield lambda number: cursor.execute(INSERT, [number])


def redis_of(url: str) -> Iterator[Insert]:
    with closing(redis.Redis.from_url(url)) as client:
        yield lambda number: client.set(f"link:{10_000_000 + number}", "https://example.org/")


def mongodb_of(url: str) -> Iterator[Insert]:
    with closing(pymongo.MongoClient[Any](url, serverSelectionTimeoutMS=100)) as client:
        yield lambda number: client.get_default_database()["surveys"].insert_one(
            {"survey": "s8", "user_number": number, "answers": {}}
        )


def stored_in_surveys(service: RunningService) -> set[int]:
    return {int(row["user_number"]) for row in service.rows("surveys")}


def stored_in_redis(service: RunningService) -> set[int]:
    with closing(redis.Redis.from_url(service.url)) as client:
        return {int(key.removeprefix(b"link:1")) for key in client.scan_iter(match="link:1???????")}


KEPT = [
    pytest.param(name, variant, insert, stored, marks=needs(name), id=name)
    for name, variant, insert, stored in (
        ("postgresql", "default", sql, stored_in_surveys),
        ("mariadb", "default", sql, stored_in_surveys),
        ("redis", "append-only-always", redis_of, stored_in_redis),
        ("mongodb", "default", mongodb_of, stored_in_surveys),
    )
]


def killed_while_written(service: RunningService, insert: Callable[[str], Iterator[Insert]], url: str = "") -> set[int]:
    """What was acknowledged to a client that wrote row after row until the server was killed."""
    assert isinstance(service, CanBeKilled)
    acknowledged: set[int] = set()
    enough = threading.Event()

    def write() -> None:
        try:
            for store in insert(url or service.url):
                for number in range(1, 100_000):
                    store(number)
                    acknowledged.add(number)
                    if len(acknowledged) >= ENOUGH:
                        enough.set()
        except LOST:
            return

    writer = threading.Thread(target=write)
    writer.start()
    assert enough.wait(WITHIN_SECONDS)
    service.kill()
    assert service.fault() is not None
    writer.join(WITHIN_SECONDS)
    assert not writer.is_alive()
    return acknowledged


@pytest.mark.parametrize(("name", "variant", "insert", "stored"), KEPT)
def test_what_was_acknowledged_is_there_when_the_server_was_killed(
    name: str,
    variant: str,
    insert: Callable[[str], Iterator[Insert]],
    stored: Callable[[RunningService], set[int]],
    shared: Shared,
) -> None:
    with shared.private(name, variant) as service:
        assert isinstance(service, CanBeKilled)
        if service.loses_when_killed:
            skip_for(Lack(f"a durable {name}", service.loses_when_killed, excused=True))
        url = service.url
        acknowledged = killed_while_written(service, insert)
        service.start_again()
        assert (service.url, service.fault()) == (url, None)
        kept = stored(service)
        service.reset()
    assert acknowledged - kept == set()
    assert len(kept - acknowledged) <= 1, "the one under way may be stored"


@pytest.mark.parametrize(("name", "variant", "insert", "stored"), KEPT)
def test_what_was_acknowledged_is_there_when_the_power_failed(
    name: str,
    variant: str,
    insert: Callable[[str], Iterator[Insert]],
    stored: Callable[[RunningService], set[int]],
    shared: Shared,
) -> None:
    with shared.private(name, variant) as service:
        assert isinstance(service, CanBeKilled)
        if service.why_no_power_cut:
            skip_without("power-cut")
            skip_for(Lack(f"a durable {name}", service.why_no_power_cut, excused=True))
        with service.separate_disk():
            service.reset()
            acknowledged = killed_while_written(service, insert)
            service.start_again()
            kept = stored(service)
        assert service.fault() is None, "it is down because it is to be"
        service.reset()
        assert stored(service) == set(), "on its usual disk, as it was loaded"
    assert acknowledged - kept == set()
    assert len(kept - acknowledged) <= 1, "the one under way may be stored"


@needs("mariadb")
def test_commits_that_are_not_synced_survive_the_server_but_not_the_power(shared: Shared) -> None:
    """innodb_flush_log_at_trx_commit = 2: the operating system has them."""
    with shared.private("mariadb", "relaxed") as service:
        assert isinstance(service, CanBeKilled)
        assert (
            not service.loses_when_killed
            and "not durable: innodb_flush_log_at_trx_commit=2" in service.why_no_power_cut
        )
        skip_without("power-cut")

        def lost_in_cut() -> set[int]:
            with service.separate_disk():
                service.reset()
                acknowledged = killed_while_written(service, sql)
                service.start_again()
                lost = acknowledged - stored_in_surveys(service)
            service.reset()
            return lost

        assert any(lost_in_cut() for _ in range(CRASHES_AT_MOST))


@needs("postgresql")
def test_relaxed_commits_are_lost_when_the_server_was_killed(shared: Shared) -> None:
    with shared.private("postgresql") as service:
        assert isinstance(service, CanBeKilled)
        relaxed = f"{service.url}?options=-c%20synchronous_commit%3Doff"

        def lost_in_kill() -> set[int]:
            acknowledged = killed_while_written(service, sql, relaxed)
            service.start_again()
            lost = acknowledged - stored_in_surveys(service)
            service.reset()
            return lost

        assert any(lost_in_kill() for _ in range(CRASHES_AT_MOST))


@pytest.mark.parametrize(
    ("name", "variant", "why"),
    [
        pytest.param("redis", "default", "snapshots only", marks=needs("redis")),
        pytest.param("memcached", "default", "nothing on a disk", marks=needs("memcached")),
    ],
)
def test_servers_that_lose_by_design_say_so(name: str, variant: str, why: str, shared: Shared) -> None:
    with shared.private(name, variant) as service:
        assert isinstance(service, CanBeKilled)
        assert why in service.loses_when_killed
