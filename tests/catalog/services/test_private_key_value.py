"""Private Redis and memcached: which tables fit, and what becomes of their kinds of values."""

from pathlib import Path

import pytest
import redis

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import ServiceStart, TellsKeysRead
from fairtrial.catalog.tables import LiteralRows, Table
from tests.catalog.services.shared import Shared
from tests.catalog.services.stores import STORES, documents, links
from tests.machine.needs import needs

BOTH = [pytest.param(name, marks=needs(name)) for name in ("redis", "memcached")]


def table(name: str, rows: list[list[str | int]], kind: str) -> Table:
    columns = {"id": "key", "value": kind}
    return Table(name, columns, LiteralRows(("id", "value"), rows), key_prefix=f"{name}:")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["redis", "memcached"])
def test_a_table_that_is_not_keys_and_values(name: str) -> None:
    with (
        pytest.raises(Problem, match=r"items does not fit .* uuid"),
        pick_service(name).start(ServiceStart(documents())),
    ):
        pass


@pytest.mark.parametrize("name", BOTH)
def test_several_tables_none_and_kinds_of_values(name: str, temporary: Path) -> None:
    tables = [
        table("empty", [], "text"),
        table("numbers", [[1, 10], [2, 20]], "integer"),
        table("objects", [[7, '{"a":["é",1]}']], "json"),
    ]
    with pick_service(name).start(ServiceStart(tables)) as up:
        assert list(up.rows("empty")) == []
        assert list(up.rows("numbers")) == [{"id": 1, "value": 10}, {"id": 2, "value": 20}]
        assert list(up.rows("objects")) == [{"id": 7, "value": {"a": ["é", 1]}}]
        up.change("objects", 7, "value", "no json")
        assert list(up.rows("objects")) == [{"id": 7, "value": "no json"}]
    with pytest.raises(Problem, match="share"), pick_service(name).start(ServiceStart([tables[0], tables[0]])):
        pass
    with pick_service(name).start(ServiceStart()) as up:
        assert not up.altered()


@pytest.mark.parametrize("name", BOTH)
def test_keys_are_told_apart_by_whether_they_were_read(name: str, shared: Shared) -> None:
    stored = next(each for each in STORES if str(each) == f"{name}-default")
    rows = links()[0].rows.sample()
    keys = [row["id"] for row in rows]
    with shared.private(name) as up:
        assert isinstance(up, TellsKeysRead)
        stored.read(up.url, keys[0])
        assert up.mark_unread("links", keys) and up.keys_read("links", keys) == 0, "what was read before does not count"
        before = up.counters()
        for _ in range(20):
            assert stored.read(up.url, keys[1]) == rows[1]["url"]
        assert up.counters()["rows_read"] - before["rows_read"] == 20
        assert up.keys_read("links", keys) == 1, "twenty hits of one key, and to ask is not to read"
        assert up.keys_read("links", keys) == 1
        assert not up.altered()
        with pytest.raises(Problem, match="999999"):
            up.mark_unread("links", [keys[0], 999_999])


@needs("redis")
def test_a_key_that_is_only_said_to_exist_was_not_read(shared: Shared) -> None:
    keys = [row["id"] for row in links()[0].rows.sample()[:4]]
    names = [f"link:{key}" for key in keys]
    with shared.private("redis") as up, redis.Redis.from_url(up.url) as stack:
        assert isinstance(up, TellsKeysRead)
        up.mark_unread("links", keys)
        stack.exists(*names)
        assert up.keys_read("links", keys) == 0
        stack.mget(names[:2])
        stack.eval("return redis.call('GET', KEYS[1])", 1, names[2])
        assert up.keys_read("links", keys) == 3
        assert stack.info("persistence")["rdb_changes_since_last_save"] == 0, "or Redis writes a snapshot in the window"


@pytest.mark.parametrize("name", BOTH)
def test_a_variant_that_does_not_exist(name: str, temporary: Path) -> None:
    with pytest.raises(Problem, match="fast"), pick_service(name).start(ServiceStart(variant="fast")):
        pass
