"""The lab's access to Redis."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.client import State
from fairtrial.catalog.services.common.external import ExternalClient, ExternalService, external_service
from fairtrial.catalog.services.common.key_value import (
    BATCH_ROWS,
    assert_pairs,
    assert_value_column,
    batches,
    key_of,
    sampled_row,
    stored_row,
)
from fairtrial.catalog.services.common.lab_work import LabWork
from fairtrial.catalog.services.common.lease import MarkerLease
from fairtrial.catalog.services.common.loading import assert_loaded
from fairtrial.catalog.services.model import Counters, MaintenanceReading, RowsLoaded, one_by_one
from fairtrial.catalog.services.redis import NAME, TITLE
from fairtrial.catalog.tables import Table

MARKER = "fairtrial:marker"
"""The key by which a database on somebody else's Redis is known to be the lab's."""

ANSWERS_WITHIN_SECONDS = 30.0
CONNECTS_WITHIN_SECONDS = 5.0
IDLE_SECONDS = 86_400
"""Since when a key is said to be unread; longer than any trial, so that half of it tells the two apart."""

SETTINGS = ("save", "appendonly", "appendfsync", "maxmemory", "maxmemory-policy", "io-threads")


class RedisClient(ExternalClient):
    """One numbered database of a Redis."""

    def __init__(self, url: str) -> None:
        try:
            self.driver = redis.Redis.from_url(
                url,
                retry=Retry(NoBackoff(), 0),
                socket_timeout=ANSWERS_WITHIN_SECONDS,
                socket_connect_timeout=CONNECTS_WITHIN_SECONDS,
            )
        except ValueError:
            raise Problem(
                "the URL of the Redis is malformed", "it looks like redis://USER:PASSWORD@HOST:PORT/NUMBER"
            ) from None
        self._flags: dict[str, frozenset[str]] = {}
        self.lab_work = LabWork()
        self._saved_at: int | None = None
        self._saves_seen = 0

    def close(self) -> None:
        """Close all connections."""
        self.driver.close()

    def ping(self) -> None:
        """Have the server answer PING."""
        with driver_errors():
            self.driver.ping()

    def product(self) -> str:
        """Redis or Valkey, with its version."""
        with driver_errors():
            info: dict[str, Any] = self.driver.info()
        if "valkey_version" in info:
            return f"Valkey {printable(str(info['valkey_version']), 40)}"
        return f"Redis {printable(str(info['redis_version']), 40)}"

    def settings(self) -> Mapping[str, str]:
        """Those of `SETTINGS` that the server has; empty if it does not tell them."""
        with driver_errors(), suppress(redis.ResponseError):  # who rents a Redis out may forbid it
            values: dict[str, str] = self.driver.config_get(*SETTINGS)  # type: ignore[assignment]
            return {name: str(values[name]) or "none" for name in SETTINGS if name in values}
        return {}

    def load(self, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        """Set the keys of all tables, and verify them."""
        for table in tables:
            with driver_errors():
                self._load(table, on_rows)

    def _load(self, table: Table, on_rows: RowsLoaded) -> None:
        def stored(key: object) -> dict[str, Any] | None:
            value: Any = self.driver.get(key_of(table, key))
            return sampled_row(table, key, value)

        before = self.driver.dbsize()
        for batch in batches(table, on_rows):
            self.driver.mset(batch)
        assert_loaded(table, self.driver.dbsize() - before, stored)

    def save(self) -> None:
        """Have the server write a snapshot."""
        with driver_errors():
            self.driver.save()

    def rows_written(self) -> int:
        """Commands that may write, within scripts as well, and keys that were dropped for want of memory."""
        with driver_errors():
            evicted = int(self.driver.info("stats").get("evicted_keys", 0))
        return evicted + self.counters_without_lab()["writes"]

    def state(self) -> State:
        """Its settings, users and functions, where it tells them to this login."""
        return {
            "its settings": self._digest("CONFIG", "GET", "*"),
            "its users": self._digest("ACL", "LIST"),
            "its functions": self._digest("FUNCTION", "DUMP"),
        }

    def _digest(self, *command: str) -> str:
        """A digest of its answer; of the refusal, where the server does not know the command or forbids it."""
        with driver_errors():
            try:
                answer: Any = self.driver.execute_command(*command)  # type: ignore[no-untyped-call]
            except redis.ResponseError as error:
                answer = type(error).__name__
        items = sorted(map(repr, answer.items() if isinstance(answer, dict) else answer))
        return hashlib.sha256("\n".join(items).encode()).hexdigest()

    def counters(self) -> Counters:
        """By commands: what reads or writes is what Redis itself flags as such.

        rows_read: keys found by reads, also by EXISTS and TOUCH and within scripts, which send no value: bytes_sent, to
        everybody and the lab, tells these apart.
        """
        with driver_errors():
            calls = {
                name.removeprefix("cmdstat_"): int(statistics["calls"])
                for name, statistics in self.driver.info("commandstats").items()
            }
            for name in calls:
                if name not in self._flags:
                    self._flags[name] = frozenset(self._flags_of(name))
            statistics = self.driver.info("stats")

        def flagged(flag: str) -> int:
            return sum(count for name, count in calls.items() if flag in self._flags[name])

        return {
            "statements": sum(calls.values()),
            "reads": flagged("readonly"),
            "writes": flagged("write"),
            "rows_read": int(statistics.get("keyspace_hits", 0)),
            "bytes_sent": int(statistics.get("total_net_output_bytes", 0)),
        }

    def maintenance(self) -> MaintenanceReading:
        """Snapshots and rewrites of the log begun, each of which forks the server; or, of versions that do not count
        forks, snapshots seen to have been saved, of which several between two readings are one."""
        with driver_errors():
            saving, forks = self.driver.info("persistence"), self.driver.info("stats").get("total_forks")
        under_way = any(int(saving.get(name, 0)) for name in ("rdb_bgsave_in_progress", "aof_rewrite_in_progress"))
        snapshots = self._saves(saving.get("rdb_last_save_time")) if forks is None else forks
        return MaintenanceReading(
            {} if snapshots is None else {"snapshots": int(snapshots)}, frozenset({"snapshot"} if under_way else ())
        )

    def _saves(self, saved_at: int | None) -> int | None:
        """How often the last snapshot was another one than at the reading before; None if its time is not told."""
        if saved_at is None:
            return None
        if self._saved_at is not None:
            self._saves_seen += saved_at != self._saved_at
        self._saved_at = saved_at
        return self._saves_seen

    def _flags_of(self, command: str) -> list[str]:
        """How Redis classifies a command; empty if it does not know it."""
        answer: Any = self.driver.execute_command("COMMAND INFO", command)  # type: ignore[no-untyped-call]
        (entry,) = answer.values() if isinstance(answer, dict) else answer
        if not entry:
            return []
        flags = entry["flags"] if isinstance(entry, dict) else entry[2]
        return [flag.decode() if isinstance(flag, bytes) else str(flag) for flag in flags]

    def rows(self, table: Table) -> Iterator[dict[str, Any]]:
        """All keys of a table, in no order."""
        prefix = table.key_prefix.encode()
        with driver_errors():
            # A scan may name a key twice.
            keys = {key for key in self.driver.scan_iter(count=BATCH_ROWS) if key.startswith(prefix)}
            ordered = sorted(keys - {MARKER.encode()})
            for begin in range(0, len(ordered), BATCH_ROWS):
                batch = ordered[begin : begin + BATCH_ROWS]
                values: Any = self.driver.mget(batch)
                for key, value in zip(batch, values, strict=True):
                    if value is not None:
                        yield stored_row(table, key, value)

    def change(self, table: Table, key: int, column: str, value: str) -> int:
        """Set the value of one key; returns that one was written.

        Raises:
            Problem: there is no such key.
        """
        assert_value_column(table, column)
        name = key_of(table, key)
        with driver_errors():
            changed = self.driver.set(name, value, xx=True)
        if not changed:
            raise Problem(f"there is no key {printable(name.decode())} to change")
        return 1

    changing = one_by_one

    def mark_unread(self, keys: Sequence[bytes]) -> bool:
        """Write these keys again as they are, as if nobody had asked for them for a day (RESTORE … IDLETIME).

        A snapshot follows, so that Redis does not take one by itself while the load runs, for so many changes.

        Raises:
            Problem: a key is not there, or Redis refused.
        """
        with driver_errors(), self.driver.pipeline(transaction=False) as steps:
            for key in keys:
                steps.dump(key)
            dumped = steps.execute()
            for key, value in zip(keys, dumped, strict=True):
                if value is None:
                    raise Problem(f"there is no key {printable(key.decode())}")
                steps.restore(key, 0, value, replace=True, idletime=IDLE_SECONDS)
            self.lab_work.add({"statements": 1, "writes": 1}, len(keys))
            steps.execute()
            self.driver.save()
        return True

    def keys_read(self, keys: Sequence[bytes]) -> int:
        """How many of them were asked for since, by whatever command gives a value; to ask this does not count.

        Raises:
            Problem: Redis refused.
        """
        with driver_errors(), self.driver.pipeline(transaction=False) as steps:
            for key in keys:
                steps.object("IDLETIME", key)
            return sum(idle is not None and int(idle) < IDLE_SECONDS // 2 for idle in steps.execute())

    def assert_only_labs_data(self) -> None:
        """Raise Problem unless the database is empty or marked."""
        with driver_errors():
            if self.driver.dbsize() and not self.driver.exists(MARKER):
                raise Problem(
                    "the database of that Redis holds keys that are not Fairtrial's; nothing was changed there",
                    "name another database number at the end of the URL, one that is empty",
                )

    def clear(self, _tables: Sequence[Table]) -> None:
        """Remove everything but the marker, in one transaction: the database is never without it."""
        with driver_errors(), self.driver.pipeline() as steps:
            steps.watch(MARKER)  # type: ignore[no-untyped-call]
            marker: Any = steps.get(MARKER)
            if marker is None:
                raise redis.WatchError
            steps.multi()
            steps.flushdb()
            steps.set(MARKER, marker)
            steps.execute()

    def remove(self) -> None:
        """Remove everything."""
        with driver_errors():
            self.driver.flushdb()


class MarkerKey:
    """The marker as a key of its own."""

    name = MARKER

    def __init__(self, client: RedisClient) -> None:
        self._client = client

    def read(self) -> str | None:
        """The key's value."""
        with driver_errors():
            return _text(self._client.driver.get(MARKER))

    def swap(self, old: str | None, new: str) -> bool:
        """By SET NX, or by WATCH and a transaction."""
        with driver_errors():
            is_swapped = self._add(new) if old is None else self._replace(old, new)
        self._client.lab_work.add({"statements": 1, "writes": 1}, int(is_swapped))
        return is_swapped

    def _add(self, new: str) -> bool:
        return bool(self._client.driver.set(MARKER, new, nx=True))

    def _replace(self, old: str, new: str) -> bool:
        with self._client.driver.pipeline() as steps:
            steps.watch(MARKER)  # type: ignore[no-untyped-call]
            if _text(steps.get(MARKER)) != old:
                return False
            steps.multi()
            steps.set(MARKER, new)
            try:
                steps.execute()
            except redis.WatchError:
                return False
            return True


def external_redis(url: str, tables: Sequence[Table], on_rows: RowsLoaded) -> AbstractContextManager[ExternalService]:
    """The tables in the numbered database of the URL, which has to be empty or marked as the lab's; removed at the end.

    Other work on the same Redis is counted as if it were the stack's: Redis counts for all databases together.

    Raises:
        Problem: the URL is malformed or the tables do not fit; or (when entered) the server cannot be reached or
            refuses, its database holds something else, or another lab has it. The URL is in no message.
    """
    assert_pairs(TITLE, tables)
    client = RedisClient(url)
    return external_service(NAME, url, client, MarkerLease(TITLE, MarkerKey(client)), tables, on_rows)


@contextmanager
def driver_errors() -> Iterator[None]:
    """Raise what the driver raises as Problem. Its own messages may hold parts of the URL: they are not passed on."""
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
        kind = code if code.isupper() else type(error).__name__
        raise Problem(f"Redis refused a command of the lab's: {printable(kind, 40)}") from None


def _text(value: object) -> str | None:
    return value.decode(errors="replace") if isinstance(value, bytes) else None
