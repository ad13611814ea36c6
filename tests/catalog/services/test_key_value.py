"""Redis and memcached: what their counters say, and which tables fit."""

from pathlib import Path

import pytest
import redis

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.memcached import LEAST_MEGABYTES, megabytes
from fairtrial.catalog.tables import LiteralRows, Table
from tests.catalog.services.needed import needs
from tests.catalog.services.stores import documents, links, memcached, unheard

VALUE = "j" * 20


@needs("redis")
def test_redis_counts_commands_by_what_it_says_they_do(temporary: Path) -> None:
    with pick_service("redis").up(links(), "default", unheard) as up, redis.Redis.from_url(up.url) as client:
        one, two = (f"link:{row['id']}" for row in links()[0].rows.sample()[:2])
        before = dict(up.counters())
        client.get(one)
        client.mget([one, two, "link:none"])
        client.hget("hash", "field")
        after = dict(up.counters())
        assert after["reads"] - before["reads"] == 3
        assert after["rows_read"] - before["rows_read"] == 3
        assert after["writes"] == before["writes"]
        assert not up.altered()
        client.set("fragment:categories", VALUE, ex=60)
        client.xgroup_create("stream", "readers", mkstream=True)
        client.eval("return redis.call('set', KEYS[1], 'x')", 1, one)
        assert up.counters()["writes"] - after["writes"] == 3
        assert up.altered()


@needs("redis")
def test_redis_keeps_its_own_defaults_or_syncs_every_write(temporary: Path) -> None:
    with pick_service("redis").up(links(), "default", unheard) as up:
        assert up.identity.settings["save"] == "3600 1 300 100 60 10000"
        assert up.identity.settings["appendonly"] == "no"
    with pick_service("redis").up(links(), "append-only-always", unheard) as up:
        assert up.identity.settings["appendonly"] == "yes"
        assert up.identity.settings["appendfsync"] == "always"


@needs("memcached")
def test_memcached_counts_keys(temporary: Path) -> None:
    with pick_service("memcached").up(links(), "default", unheard) as up:
        client = memcached(up.url)
        one, two = (f"link:{row['id']}" for row in links()[0].rows.sample()[:2])
        before = dict(up.counters())
        client.get(one)
        client.get_many([one, two, "link:none"])
        after = dict(up.counters())
        assert after["reads"] - before["reads"] == 4
        assert after["rows_read"] - before["rows_read"] == 3
        assert after["writes"] == before["writes"]
        client.set("fragment:categories", VALUE, noreply=False)
        client.delete(one, noreply=False)
        assert up.counters()["writes"] - after["writes"] == 2


def test_memcached_gets_the_memory_that_its_data_need() -> None:
    assert megabytes([]) == megabytes(links()) == LEAST_MEGABYTES
    assert megabytes(links(rows=3_000_000)) > 3_000_000 * (len("link:1https://example.com/") + 36) / 2**20


@pytest.mark.parametrize("name", ["redis", "memcached"])
def test_a_table_that_is_no_keys_and_values(name: str, temporary: Path) -> None:
    with (
        pytest.raises(Problem, match=r"items does not fit .* uuid"),
        pick_service(name).up(documents(), "default", unheard),
    ):
        pass


@pytest.mark.parametrize("name", [pytest.param(one, marks=needs(one)) for one in ("redis", "memcached")])
def test_several_tables_none_and_kinds_of_values(name: str, temporary: Path) -> None:
    def table(name: str, rows: list[list[str | int]], kind: str) -> Table:
        columns = {"id": "key", "value": kind}
        return Table(name, columns, LiteralRows(("id", "value"), rows), key_prefix=f"{name}:")  # type: ignore[arg-type]

    tables = [
        table("empty", [], "text"),
        table("numbers", [[1, 10], [2, 20]], "integer"),
        table("objects", [[7, '{"a":["é",1]}']], "json"),
    ]
    with pick_service(name).up(tables, "default", unheard) as up:
        assert list(up.rows("empty")) == []
        assert list(up.rows("numbers")) == [{"id": 1, "value": 10}, {"id": 2, "value": 20}]
        assert list(up.rows("objects")) == [{"id": 7, "value": {"a": ["é", 1]}}]
        up.change("objects", 7, "value", "no json")
        assert list(up.rows("objects")) == [{"id": 7, "value": "no json"}]
    with pytest.raises(Problem, match="share"), pick_service(name).up([tables[0], tables[0]], "default", unheard):
        pass
    with pick_service(name).up([], "default", unheard) as up:
        assert not up.altered()
