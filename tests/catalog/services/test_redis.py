"""What is Redis' own: what its counters say, and its settings."""

from urllib.parse import urlsplit

import psutil
import pytest
import redis

from tests.catalog.services.shared import Shared
from tests.catalog.services.stores import links
from tests.machine.needs import needs

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


def test_keys_that_are_found_without_their_values_are_told_by_the_bytes(shared: Shared) -> None:
    with shared.private("redis") as up, redis.Redis.from_url(up.url) as client:
        key = f"link:{links()[0].rows.sample()[0]['id']}"
        value_bytes = client.strlen(key)

        def done(command: str, times: int = 500) -> tuple[int, int]:
            before = dict(up.counters())
            with client.pipeline(transaction=False) as many:
                for _ in range(times):
                    many.execute_command(command, key)
                many.execute()
            after = up.counters()
            return after["rows_read"] - before["rows_read"], after["bytes_sent"] - before["bytes_sent"]

        found, bytes_sent = done("GET")
        assert found == 500 and bytes_sent >= 500 * value_bytes
        found, of_nothing = done("EXISTS")
        assert found == 500 and of_nothing < bytes_sent - 500 * (value_bytes - 4)


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


def test_only_who_was_told_the_password_gets_in_and_settings_are_the_labs(shared: Shared) -> None:
    with shared.private("redis") as up, redis.Redis.from_url(up.url) as client:
        password, address = str(client.get_connection_kwargs()["password"]), urlsplit(up.url)
        with redis.Redis(port=address.port or 0) as nobody, pytest.raises(redis.AuthenticationError):
            nobody.ping()
        # Sets counters back, loosens durability, empties it, stops it, makes a user: none of it is a stack's.
        for command in ("CONFIG RESETSTAT", "CONFIG SET appendfsync no", "FLUSHALL", "SHUTDOWN NOSAVE", "ACL LIST"):
            with pytest.raises(redis.exceptions.NoPermissionError):
                client.execute_command(*command.split())
        # What drivers ask when they connect, and what an honest stack does with its keys.
        assert client.info("server") and client.client_setname("stack") and client.role()
        assert client.set("fragment:categories", "x", ex=60) and client.keys("fragment:*")
        # Other users of the machine see command lines.
        lines = [" ".join(process.cmdline()) for process in psutil.Process(up.pid).children()]
        assert lines and not any(password in line for line in lines)
