"""Redis: keys and values, as a database or as a cache. Private, or one that runs already."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from fairtrial.placement.cpus import LOOPBACK
from fairtrial.printable import printable
from fairtrial.problem import Problem
from fairtrial.record.model import ServiceIdentity
from fairtrial.services.installed import assert_installed, missing_program, said_version
from fairtrial.services.key_value import (
    BATCH_ROWS,
    assert_fit,
    batches,
    key_of,
    sampled_row,
    stored_row,
    table_of,
)
from fairtrial.services.loading import assert_loaded
from fairtrial.services.model import Counters, Missing, RowsLoaded, Service
from fairtrial.services.private.folder import run_folder
from fairtrial.services.private.ready_made import ReadyMade, ready_made
from fairtrial.services.private.server import Command, PrivateServer
from fairtrial.tables import Table, tables_sha256

TITLE = "Redis"
PROGRAM = "redis-server"
LAYOUT = 1
"""Raise it when the way tables are laid out changes: kept data are made again."""

MARKER = "fairtrial:marker"
"""The key by which a database on a Redis of somebody else's is known to be the lab's."""

ANSWERS_WITHIN_SECONDS = 30.0
CONNECTS_WITHIN_SECONDS = 5.0
SETTINGS = ("save", "appendonly", "appendfsync", "maxmemory", "maxmemory-policy", "io-threads")
VARIANTS = {
    "append-only-always": ["--appendonly", "yes", "--appendfsync", "always"],
}


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


class PrivateRedis(Store):
    """A Redis of the lab's own."""

    def __init__(self, tables: Sequence[Table], variant: str, server: PrivateServer, made: ReadyMade) -> None:
        self._server, self._made = server, made
        server.start(made())
        super().__init__(tables, _url(server.port), "private", variant)
        self.loaded()

    @property
    def pid(self) -> int | None:
        """The guard above it."""
        return self._server.pid

    def fault(self) -> str | None:
        """Why it does not run, or None."""
        return self._server.fault()

    def reset(self) -> None:
        """A new process on a copy of what was loaded."""
        self.client.close()
        self._server.restart(self._made())
        self.loaded()


class ExternalRedis(Store):
    """One numbered database on a Redis that runs already."""

    pid = None

    def __init__(self, tables: Sequence[Table], url: str, on_rows: RowsLoaded) -> None:
        super().__init__(tables, url, "external")
        self._on_rows = on_rows
        try:
            with spoken():
                if not self.client.dbsize():
                    self._mark()
                elif not self.client.exists(MARKER):
                    raise Problem(
                        "the database of that Redis holds keys that are not Fairtrial's; nothing was changed there",
                        "name another database number at the end of the URL, one that is empty",
                    )
            self.reset()
        except BaseException:
            self.client.close()
            raise

    def fault(self) -> str | None:
        """Why it does not answer, or None."""
        try:
            with spoken():
                self.client.ping()
        except Problem as problem:
            return problem.reason
        return None

    def reset(self) -> None:
        """Load everything again."""
        with spoken():
            self._clear()
        fill(self.client, self._tables, self._on_rows)
        self.loaded()

    def leave(self) -> None:
        """Remove what was loaded."""
        with spoken():
            self._clear()
            self.client.delete(MARKER)

    def _clear(self) -> None:
        # Someone may have taken the marker away, and put something there.
        if not self.client.exists(MARKER):
            raise Problem(
                f"the database of that Redis no longer holds {MARKER}: nothing was removed from it",
                "see what it holds, and empty it",
            )
        self.client.flushdb()
        self._mark()

    def _mark(self) -> None:
        self.client.set(MARKER, "what lies in this database is Fairtrial's and may be removed")


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


@contextmanager
def up(tables: Sequence[Table], variant: str, on_rows: RowsLoaded) -> Iterator[PrivateRedis]:
    """A Redis of the lab's own with the tables; `variant` is "default" or one of VARIANTS.

    Raises:
        Problem: it is not installed, does not start, or the tables are no keys and values.
    """
    assert_fit(TITLE, tables)
    assert_installed(missing())
    command = _command(VARIANTS.get(variant, []))

    def fill_at(port: int) -> None:
        with closing(connected(_url(port))) as client:
            fill(client, tables, on_rows)
            with spoken():
                client.save()

    name = "-".join(["redis", *(table.name for table in tables)])
    sha256 = tables_sha256(tables, "redis", version(), VARIANTS.get(variant, []), LAYOUT)
    made = partial(ready_made, TITLE, name, sha256, lambda _folder: command, _is_ready, fill_at)
    with run_folder("redis") as folder, PrivateServer(TITLE, folder, command, _is_ready) as server:
        running = PrivateRedis(tables, variant, server, made)
        with closing(running.client):
            yield running


@contextmanager
def connect(url: str, tables: Sequence[Table], on_rows: RowsLoaded) -> Iterator[ExternalRedis]:
    """The tables in the numbered database of the URL, which has to be empty or marked as the lab's; removed at the end.

    Other work on the same Redis is counted as if it were the stack's: Redis counts for all databases together.

    Raises:
        Problem: it cannot be reached, refuses, or its database holds something else; without the URL.
    """
    assert_fit(TITLE, tables)
    running = ExternalRedis(tables, url, on_rows)
    with closing(running.client):
        try:
            yield running
        finally:
            with suppress(Problem):
                running.leave()


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


def _is_ready(port: int) -> bool:
    try:
        with closing(connected(_url(port))) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _command(further: Sequence[str]) -> Command:
    # Without a file of settings, all others are those that Redis is built with: snapshots after 3600 s with 1 change,
    # 300 s with 100, 60 s with 10,000. There is no password: it listens on loopback alone and lives as long as a run,
    # and the other key-value store has none, so that neither is asked for one when stacks connect.
    def command(data: Path, port: int) -> list[str]:
        return [PROGRAM, "--port", str(port), "--bind", LOOPBACK, "--dir", str(data), *further]

    return command


def _url(port: int) -> str:
    return f"redis://{LOOPBACK}:{port}/0"


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


def missing() -> Missing | None:
    """None if `redis-server` is installed."""
    return missing_program(TITLE, PROGRAM, "redis-server")


def version() -> str | None:
    """What `redis-server --version` says."""
    return said_version([PROGRAM, "--version"])


SERVICE = Service(
    name="redis",
    title=TITLE,
    roles=("database", "cache"),
    up=up,
    missing=missing,
    version=version,
    schemes=("redis", "rediss"),
    connect=connect,
    variants={
        "append-only-always": "every write is in the append-only file, synced, before it is answered "
        "(appendonly yes, appendfsync always); by default there are snapshots only, and a crash loses what is newer"
    },
)
