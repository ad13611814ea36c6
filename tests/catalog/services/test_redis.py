"""What is Redis' own: what its counters say, and its settings."""

import pytest
import redis

from tests.catalog.services.needed import needs
from tests.catalog.services.shared import Shared
from tests.catalog.services.stores import links

pytestmark = needs("redis")


def test_commands_are_counted_by_what_redis_says_they_do(shared: Shared) -> None:
    with shared.private("redis") as up, redis.Redis.from_url(up.url) as client:
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
        client.set("fragment:categories", "j" * 20, ex=60)
        client.xgroup_create("stream", "readers", mkstream=True)
        client.eval("return redis.call('set', KEYS[1], 'x')", 1, one)
        assert up.counters()["writes"] - after["writes"] == 3
        assert up.altered()


@pytest.mark.parametrize(
    ("variant", "settings"),
    [
        ("default", {"save": "3600 1 300 100 60 10000", "appendonly": "no"}),
        ("append-only-always", {"appendonly": "yes", "appendfsync": "always"}),
    ],
)
def test_it_keeps_its_own_defaults_or_syncs_every_write(variant: str, settings: dict[str, str], shared: Shared) -> None:
    with shared.private("redis", variant) as up:
        assert settings.items() <= up.identity.settings.items()
