"""How Redis is spoken to."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.loading import assert_loaded
from fairtrial.catalog.services.model import Counters, RowsLoaded
from fairtrial.catalog.services.stores.key_value import (
    BATCH_ROWS,
    batches,
    key_of,
    sampled_row,
    stored_row,
    table_of,
)
from fairtrial.catalog.tables import Table
from fairtrial.record.model import ServiceIdentity

TITLE = "Redis"
MARKER = "fairtrial:marker"
"""The key by which a database on a Redis of somebody else's is known to be the lab's."""

ANSWERS_WITHIN_SECONDS = 30.0
CONNECTS_WITHIN_SECONDS = 5.0
SETTINGS = ("save", "appendonly", "appendfsync", "maxmemory", "maxmemory-policy", "io-threads")


class Store:
    """The tables on one Redis, as the lab sees them."""

    def __init__(
        self, tables: Sequence[Table], url: str, where: Literal["private", "external"], variant: str = "default"
    ) -> None:
        self._tables, self._where, self._variant, self.url = tables, where, variant, url
        self._kinds: dict[str, frozenset[str]] = {}
        self._changes_of_the_lab = self._as_loaded = 0
        self.client = connected(url)

    def loaded(self) -> None:
        """What is stored now is what was loaded."""
        with spoken():
            told = self.client.info()
            self.identity = ServiceIdentity(
                name="redis",
                product=_product(told),
                variant=self._variant,
                where=self._where,
                settings=self._settings(),
            )
        self._changes_of_the_lab, self._as_loaded = 0, self._changes()

    def altered(self) -> bool:
        """Whether any command that may write was given, the lab's own apart, or memory was too small for all keys.

        True of a server that cannot be asked.
        """
        try:
            return self._changes() != self._as_loaded + self._changes_of_the_lab
        except Problem:
            return True

    def _changes(self) -> int:
        with spoken():
            dropped = int(self.client.info("stats").get("evicted_keys", 0))
        return dropped + self._counted()["writes"]

    def counters(self) -> Counters:
        """By commands: what reads or writes is what Redis itself flags as such. rows_read: keys found by reads.

        Nothing of a server that cannot be asked.
        """
        try:
            return self._counted()
        except Problem:
            return {}

    def _counted(self) -> Counters:
        with spoken():
            calls = {
                name.removeprefix("cmdstat_"): int(told["calls"])
                for name, told in self.client.info("commandstats").items()
            }
            self._learn([name for name in calls if name not in self._kinds])
            found = int(self.client.info("stats").get("keyspace_hits", 0))

        def flagged(flag: str) -> int:
            return sum(count for name, count in calls.items() if flag in self._kinds[name])

        return {
            "statements": sum(calls.values()),
            "reads": flagged("readonly"),
            "writes": flagged("write"),
            "rows_read": found,
        }

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All keys of a table, in no order."""
        of = table_of(self._tables, table)
        with spoken():
            # A scan may name a key twice.
            keys = {key for key in self.client.scan_iter(count=BATCH_ROWS) if key.startswith(of.key_prefix.encode())}
            ordered = sorted(keys - {MARKER.encode()})
            for begin in range(0, len(ordered), BATCH_ROWS):
                part = ordered[begin : begin + BATCH_ROWS]
                values: Any = self.client.mget(part)
                for key, value in zip(part, values, strict=True):
                    if value is not None:
                        yield stored_row(of, key, value)

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set the value of one key that is there."""
        name = key_of(table_of(self._tables, table, column), key)
        with spoken():
            there = self.client.set(name, value, xx=True)
        self._changes_of_the_lab += 1
        if not there:
            raise Problem(f"there is no key {printable(name.decode())} to change")

    def _learn(self, names: Sequence[str]) -> None:
        """What kinds of commands these are, in Redis' words."""
        for name in names:
            told: Any = self.client.execute_command("COMMAND INFO", name)  # type: ignore[no-untyped-call]
            self._kinds[name] = frozenset(_flags(told))

    def _settings(self) -> dict[str, str]:
        with suppress(redis.ResponseError):  # those who rent a Redis out may forbid it
            told: dict[str, str] = self.client.config_get(*SETTINGS)  # type: ignore[assignment]
            return {name: str(told[name]) or "none" for name in SETTINGS if name in told}
        return {}


def fill(client: "redis.Redis", tables: Sequence[Table], on_rows: RowsLoaded) -> None:
    """Load the tables, and prove it."""
    for table in tables:
        with spoken():
            _load(client, table, on_rows)


def _load(client: "redis.Redis", table: Table, on_rows: RowsLoaded) -> None:
    def stored(key: object) -> dict[str, Any] | None:
        value: Any = client.get(key_of(table, key))
        return sampled_row(table, key, value)

    before = client.dbsize()
    for batch in batches(table, on_rows):
        client.mset(batch)
    assert_loaded(table, client.dbsize() - before, stored)


def connected(url: str) -> "redis.Redis":
    """A client that raises at once what goes wrong."""
    try:
        return redis.Redis.from_url(
            url,
            retry=Retry(NoBackoff(), 0),
            socket_timeout=ANSWERS_WITHIN_SECONDS,
            socket_connect_timeout=CONNECTS_WITHIN_SECONDS,
        )
    except ValueError:
        raise Problem(
            "the URL of the Redis is malformed", "it looks like redis://USER:PASSWORD@HOST:PORT/NUMBER"
        ) from None


@contextmanager
def spoken() -> Iterator[None]:
    """What the client raises, as Problem. Its own words may hold parts of the URL: they are not passed on."""
    try:
        yield
    except redis.AuthenticationError:
        raise Problem("Redis refused the user name or the password", "see the password in the URL") from None
    except redis.TimeoutError:
        raise Problem("Redis did not answer in time", "is it busy, is the address right?") from None
    except redis.ConnectionError:
        raise Problem("Redis cannot be reached", "does it run, and are host and port right?") from None
    except redis.RedisError as error:
        code = str(error).partition(" ")[0]  # such as OOM, NOPERM, MISCONF
        said = code if code.isupper() else type(error).__name__
        raise Problem(f"Redis refused a command of the lab's: {printable(said, 40)}") from None


def _product(told: dict[str, Any]) -> str:
    if "valkey_version" in told:
        return f"Valkey {printable(str(told['valkey_version']), 40)}"
    return f"Redis {printable(str(told['redis_version']), 40)}"


def _flags(told: Any) -> list[str]:
    (entry,) = told.values() if isinstance(told, dict) else told
    if not entry:
        return []
    flags = entry["flags"] if isinstance(entry, dict) else entry[2]
    return [flag.decode() if isinstance(flag, bytes) else str(flag) for flag in flags]
