"""What a stack's user may change on a private server is seen, named and undone; what changes nothing is not."""

import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import pymongo
import pytest
import redis

from fairtrial.catalog.services.model import RunningService
from tests.catalog.services.shared import Shared
from tests.catalog.services.stacks_side import execute
from tests.catalog.services.stores import links
from tests.machine.needs import needs

Change = Callable[[RunningService], object]


def sql(*statements: str) -> Change:
    def change(service: RunningService) -> None:
        for statement in statements:
            execute(service.url, statement)

    return change


def memcached(line: str) -> Change:
    def change(service: RunningService) -> None:
        address = urlsplit(service.url)
        with socket.create_connection((address.hostname or "", address.port or 0), timeout=5) as connection:
            connection.sendall(f"{line}\r\n".encode())
            assert connection.recv(4096)

    return change


def commands(*words: str) -> Change:
    def change(service: RunningService) -> None:
        with redis.Redis.from_url(service.url) as client:
            client.execute_command(*words)

    return change


def documents(change: Callable[["pymongo.database.Database[dict[str, object]]"], object]) -> Change:
    def changed(service: RunningService) -> None:
        with pymongo.MongoClient[dict[str, object]](service.url) as client:
            change(client.get_default_database())

    return changed


DO = "DO $$ BEGIN EXECUTE '{}'; END $$"
ROLLED_BACK = """
    DO $$ BEGIN
        BEGIN
            UPDATE items SET segment = segment;
            RAISE EXCEPTION 'rolled back';
        EXCEPTION WHEN raise_exception THEN
        END;
    END $$
"""
KEY = f"link:{links()[0].rows.sample()[0]['id']}"

CHANGES = [
    ("postgresql", sql("ALTER ROLE CURRENT_USER SET enable_indexscan = off"), "pg_db_role_setting"),
    ("postgresql", sql(DO.format("ALTER ROLE CURRENT_USER SET enable_indexscan = off")), "pg_db_role_setting"),
    ("postgresql", sql("ALTER ROLE CURRENT_USER PASSWORD 'another'"), "pg_authid"),
    ("postgresql", sql(DO.format("UPDATE items SET segment = segment")), "its rows"),
    ("postgresql", sql(ROLLED_BACK), "its rows"),
    ("postgresql", sql("SELECT nextval('surveys_id_seq')"), "its rows"),
    ("postgresql", sql("SELECT lo_create(0)"), "pg_largeobject_metadata"),
    ("mariadb", sql("UPDATE items SET segment = segment + 1 LIMIT 1"), "its rows"),
    ("mariadb", sql("BEGIN", "SET PASSWORD = PASSWORD('another')"), "its users"),
    ("mariadb", sql("ANALYZE TABLE items PERSISTENT FOR ALL"), "statistics of columns"),
    ("redis", commands("EVAL", "return redis.call('set', KEYS[1], 'x')", "1", KEY), "its rows"),
    ("redis", commands("EXPIRE", KEY, "3600"), "its rows"),
    (
        "redis",
        commands("FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() return 1 end)"),
        "its functions",
    ),
    ("memcached", memcached("verbosity 1"), "its settings"),
    ("memcached", memcached("cache_memlimit 64"), "its settings"),
    ("memcached", memcached("lru mode flat"), "its settings"),
    ("memcached", memcached("stats detail on"), "its settings"),
    ("memcached", memcached("stats reset"), "its counters"),
    ("memcached", memcached("mg made-by-a-read N60 v"), "its rows"),
    ("memcached", memcached(f"touch {KEY} 3600"), "its rows"),
    ("mongodb", documents(lambda database: database.items.drop_index("items_segment")), "its indexes"),
    (
        "mongodb",
        documents(lambda database: database.items.update_one({"_id": 1}, {"$set": {"segment": 2}})),
        "its rows",
    ),
    ("mongodb", documents(lambda database: database.create_collection("another")), "its collections"),
]
READS = [
    (
        "postgresql",
        sql("BEGIN ISOLATION LEVEL SERIALIZABLE", "SET enable_indexscan = off", "SELECT count(*) FROM items"),
    ),
    (
        "postgresql",
        sql("SELECT * FROM items WHERE id = 1 FOR SHARE", "SELECT pg_advisory_lock(7)", "SELECT pg_sleep(0.01)"),
    ),
    ("mariadb", sql("SET SESSION optimizer_switch = 'index_merge=off'", "SELECT count(*) FROM items")),
    ("mariadb", sql("SELECT get_lock('mine', 1)", "SELECT * FROM items WHERE id = 1 LOCK IN SHARE MODE")),
    ("redis", commands("EVAL", "return redis.call('get', KEYS[1])", "1", KEY)),
    ("redis", commands("OBJECT", "IDLETIME", KEY)),
    ("memcached", memcached(f"gets {KEY}")),
    ("memcached", memcached("stats")),
    ("mongodb", documents(lambda database: list(database.items.find({"segment": 1}).limit(3)))),
    ("mongodb", documents(lambda database: database.items.count_documents({}))),
]


@pytest.mark.parametrize(
    ("name", "change", "what"),
    [pytest.param(*each, marks=needs(each[0]), id=f"{each[0]}-{index}") for index, each in enumerate(CHANGES)],
)
def test_what_a_stack_changed_is_named_and_undone(name: str, change: Change, what: str, shared: Shared) -> None:
    with shared.private(name) as service:
        assert service.altered() == ""
        change(service)
        service.end_sessions()
        assert what in service.altered()
        assert (what in service.altered(rows=False)) == (what != "its rows"), "a workload that writes may write rows"
        service.reset()
        assert service.altered() == ""


@pytest.mark.parametrize(
    ("name", "read"),
    [pytest.param(*each, marks=needs(each[0]), id=f"{each[0]}-{index}") for index, each in enumerate(READS)],
)
def test_what_ends_with_a_session_changes_nothing(name: str, read: Change, shared: Shared) -> None:
    with shared.private(name) as service:
        read(service)
        assert service.altered() == ""


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in ("postgresql", "mariadb", "redis")])
def test_what_the_lab_changes_is_no_alteration(name: str, shared: Shared) -> None:
    table, column = ("links", "url") if name == "redis" else ("items", "uuid")
    with shared.private(name) as service:
        key = next(iter(service.rows(table)))["id"]
        for together in (False, True):
            with service.changing(table, column, together=together) as change:
                change(key, "https://example.com/another")
        assert service.altered() == ""
        service.reset()  # to other tests it would be another row
