"""The lab's access to memcached. It has no databases and no users: on somebody else's, prefixes tell the lab's keys."""

import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from pymemcache.client.base import Client as Driver
from pymemcache.exceptions import MemcacheError

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
from fairtrial.catalog.services.common.lease import MarkerLease, read_marker
from fairtrial.catalog.services.common.loading import assert_loaded
from fairtrial.catalog.services.memcached import NAME, SCHEME, TITLE
from fairtrial.catalog.services.model import Counters, RowsLoaded, one_by_one
from fairtrial.catalog.tables import Table

FORM = f"it looks like {SCHEME}://HOST:PORT; memcached has no users and no databases"
MARKER = "fairtrial:marker"
"""The key by which somebody else's memcached is known to hold a lab's keys; its text names their prefixes."""

STACKS_PREFIXES = ("fragment:",)
"""Of the keys that stacks set if it is their cache: docs/workloads.md, page."""

ANSWERS_WITHIN_SECONDS = 30.0
MOVED_WITHIN_SECONDS = 2.0
"""Its thread that moves keys sleeps for a second at most: MAX_LRU_MAINTAINER_SLEEP in memcached's items.c."""

LISTS_WITHIN_SECONDS = 30.0
ASK_AGAIN_SECONDS = 0.05
WRITES = (
    "cmd_set",
    "cmd_touch",
    "cmd_flush",
    "delete_hits",
    "delete_misses",
    "incr_hits",
    "incr_misses",
    "decr_hits",
    "decr_misses",
)

Address = tuple[str, int]
"""Host and port."""


class MemcachedClient(ExternalClient):
    """One memcached. Every call opens a connection and closes it.

    Args:
        prefixes: of the keys that are the lab's; None: all keys are.
    """

    def __init__(self, address: Address, prefixes: Sequence[str] | None = None) -> None:
        self._address, self._prefixes = address, prefixes
        self._most_writes: dict[bytes, int] = {}
        """by the server's process"""
        self.lab_work = LabWork()

    @property
    def prefixes(self) -> Sequence[str]:
        """Those of the keys that are the lab's; empty if all keys are."""
        return self._prefixes or ()

    @contextmanager
    def connection(self) -> Iterator[Driver]:
        """A connection, closed at the end. What the driver raises is raised as Problem."""
        timeouts = {"connect_timeout": ANSWERS_WITHIN_SECONDS, "timeout": ANSWERS_WITHIN_SECONDS}
        with driver_errors(), closing(Driver(self._address, **timeouts)) as driver:
            yield driver

    def close(self) -> None:
        """Nothing: every call closes its own connection."""

    def ping(self) -> None:
        """Have the server tell its version."""
        with self.connection() as driver:
            driver.version()

    def product(self) -> str:
        """memcached, with its version."""
        with self.connection() as driver:
            return f"memcached {printable(driver.stats()[b'version'].decode(), 40)}"

    def settings(self) -> Mapping[str, str]:
        """Its memory, threads and connections."""
        with self.connection() as driver:
            settings = driver.stats("settings")
        return {
            "memory": f"{int(settings[b'maxbytes']) // 2**20} MiB",
            "threads": str(int(settings[b"num_threads"])),
            "connections": str(int(settings[b"maxconns"])),
            "durability": "none: in memory",
        }

    def load(self, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        """Set the keys of all tables, and verify them.

        Raises:
            Problem: memory is too small, what is stored is not what was to be loaded, or the server does not answer.
        """
        with self.connection() as driver:
            evictions_before = _evictions(driver)
            for table in tables:
                before = self._stored(driver)
                _fill(driver, table, on_rows)
                if _evictions(driver) > evictions_before:
                    raise Problem(
                        f"{TITLE} has too little memory for the table {table.name}: it dropped keys",
                        "give it more by its option -m, or load fewer rows",
                    )
                _verify(driver, table, self._stored(driver) - before)

    def rows_written(self) -> int:
        """Commands that may write, keys that were dropped for want of memory, and the keys that are there: a `mg` that
        makes them (`N`) is no write."""
        with self.connection() as driver:
            stats = driver.stats()
        return int(stats[b"evictions"]) + int(stats[b"curr_items"]) + self.counters_without_lab()["writes"]

    def state(self) -> State:
        """Its settings, which any client may change (`verbosity`, `cache_memlimit`, `lru`, `slabs`, `stats detail`),
        and whether its counters were set back (`stats reset`)."""
        with self.connection() as driver:
            settings, stats = driver.stats("settings"), driver.stats()
        process, commands = stats[b"pid"], sum(int(stats.get(name.encode(), 0)) for name in WRITES)
        most = self._most_writes[process] = max(commands, self._most_writes.get(process, 0))
        return {
            "its settings": repr(sorted(settings.items())),
            "its counters": "set back" if commands < most else "counted on",
        }

    def counters(self) -> Counters:
        """memcached counts keys and not commands: one get for five keys is five reads. rows_read: keys found."""
        with self.connection() as driver:
            stats = driver.stats()
        writes = sum(int(stats.get(name.encode(), 0)) for name in WRITES)
        return {
            "reads": int(stats[b"cmd_get"]),
            "writes": writes,
            "rows_read": int(stats[b"get_hits"]),
            "bytes_sent": int(stats[b"bytes_written"]),
        }

    def rows(self, table: Table) -> Iterator[dict[str, Any]]:
        """All keys of a table, in no order."""
        prefix = table.key_prefix.encode()
        with self.connection() as driver:
            keys = sorted(key for key in self.keys(driver) if key.startswith(prefix))
            for begin in range(0, len(keys), BATCH_ROWS):
                for key, value in driver.get_many(keys[begin : begin + BATCH_ROWS]).items():
                    yield stored_row(table, key, value)

    def change(self, table: Table, key: int, column: str, value: str) -> int:
        """Set the value of one key; returns that one was written.

        Raises:
            Problem: there is no such key.
        """
        assert_value_column(table, column)
        name = key_of(table, key)
        with self.connection() as driver:
            changed = driver.replace(name, value.encode(), noreply=False)
        if not changed:
            raise Problem(f"there is no key {printable(name.decode())} to change")
        return 1

    changing = one_by_one

    def mark_unread(self, keys: Sequence[bytes]) -> bool:
        """Set these keys again as they are: memcached marks a key that was fetched since it was set.

        Raises:
            Problem: a key is not there, or the server does not answer.
        """
        with self.connection() as driver:
            for begin in range(0, len(keys), BATCH_ROWS):
                batch = keys[begin : begin + BATCH_ROWS]
                values = driver.get_many(batch)
                if missing := [key for key in batch if key not in values]:
                    raise Problem(f"there is no key {printable(missing[0].decode())}")
                self.lab_work.add({"writes": 1}, len(values))
                driver.set_many(values, noreply=True)
                driver.version()  # answered when all keys are set
        return True

    def keys_read(self, keys: Sequence[bytes]) -> int:
        """How many of them were fetched since, by the command `me`, which does not fetch.

        Raises:
            Problem: the server does not answer, or does not know the command.
        """
        count = 0
        with (
            driver_errors(),
            socket.create_connection(self._address, timeout=ANSWERS_WITHIN_SECONDS) as connection,
            connection.makefile("rb") as answers,
        ):
            for begin in range(0, len(keys), BATCH_ROWS):
                batch = keys[begin : begin + BATCH_ROWS]
                connection.sendall(b"".join(b"me %b\r\n" % key for key in batch))
                lines = [answers.readline() for _ in batch]
                if any(not line.startswith((b"ME ", b"EN")) for line in lines):
                    raise Problem("memcached does not tell which keys were fetched")
                count += sum(b" fetch=yes " in line for line in lines)
        return count

    def _stored(self, driver: Driver) -> int:
        """How many keys are the lab's."""
        return len(self._labs_keys(driver)) if self._prefixes is not None else int(driver.stats()[b"curr_items"])

    def _labs_keys(self, driver: Driver) -> list[bytes]:
        return [key for key in self.keys(driver) if _has_prefix(self.prefixes, key)]

    def keys(self, driver: Driver) -> set[bytes]:
        """The names of all keys.

        A listing misses the keys that memcached moves from one of its lists to another, which it does some time after
        they were read. So listings are repeated until there are as many keys as memcached counts or, because it also
        counts those that have expired, until nothing new was listed for longer than it lets a move wait.

        Raises:
            Problem: something new is listed all the time, or it does not answer.
        """
        keys: set[bytes] = set()
        began = newest = time.monotonic()
        while True:
            new = set(list_keys(self._address)) - keys
            keys |= new
            if len(keys) >= int(driver.stats()[b"curr_items"]):
                return keys
            now = time.monotonic()
            if new:
                newest = now
            elif now - newest > MOVED_WITHIN_SECONDS:
                return keys
            if now - began > LISTS_WITHIN_SECONDS:
                raise Problem("memcached lists other keys every time", "is someone still writing? run it again")
            time.sleep(ASK_AGAIN_SECONDS)

    def assert_only_labs_data(self) -> None:
        """Raise Problem if there are any keys but the marker and those whose prefixes the marker names.

        The prefixes in a marker become the lab's, too: whoever comes next, if not this lab, is to remove those keys.
        """
        marker = read_marker(MarkerItem(self).read())
        earlier = [prefix for prefix in marker.prefixes if prefix] if marker else []
        with self.connection() as driver:
            keys = self.keys(driver)
        if not all(key == MARKER.encode() or _has_prefix(earlier, key) for key in keys):
            raise Problem(
                f"{TITLE} holds keys that are not Fairtrial's; nothing was changed there",
                "name one that is empty: memcached has no databases that would keep them apart",
            )
        self._prefixes = sorted({*self.prefixes, *earlier})

    def clear(self, _tables: Sequence[Table]) -> None:
        """Delete the lab's keys, but not the marker."""
        with self.connection() as driver:
            driver.delete_many(self._labs_keys(driver), noreply=True)
            driver.version()  # answered when they are deleted

    def remove(self) -> None:
        """Delete the lab's keys, the marker last."""
        self.clear([])
        with self.connection() as driver:
            driver.delete(MARKER, noreply=False)


class MarkerItem:
    """The marker as a key of its own, which never expires."""

    name = MARKER

    def __init__(self, client: MemcachedClient) -> None:
        self._client = client

    def read(self) -> str | None:
        """The key's value."""
        with self._client.connection() as driver:
            return _text(driver.get(MARKER))

    def swap(self, old: str | None, new: str) -> bool:
        """By `add`, or by `gets` and `cas`."""
        with self._client.connection() as driver:
            if old is None:
                is_swapped = bool(driver.add(MARKER, new.encode(), noreply=False))
            else:
                value, unique = driver.gets(MARKER)
                is_swapped = _text(value) == old and bool(driver.cas(MARKER, new.encode(), unique, noreply=False))
        self._client.lab_work.add({"statements": 1, "writes": 1}, int(is_swapped))
        return is_swapped


def external_memcached(
    url: str, tables: Sequence[Table], on_rows: RowsLoaded
) -> AbstractContextManager[ExternalService]:
    """The tables in the memcached at the URL, which has to be empty or marked as the lab's; removed at the end.

    Other work on the same memcached is counted as if it were the stack's.

    Raises:
        Problem: the URL is malformed or the tables do not fit; or (when entered) the server cannot be reached or
            refuses, holds something else, or another lab has it. The URL is in no message.
    """
    assert_pairs(TITLE, tables)
    nameless = [table.name for table in tables if not table.key_prefix]
    if nameless:
        raise Problem(
            f"the keys of the table {nameless[0]} have no prefix: in {TITLE} they could not be told from others",
            "leave `url_from` out to have one started",
        )
    prefixes = sorted({*STACKS_PREFIXES, *(table.key_prefix for table in tables)})
    client = MemcachedClient(_address(url), prefixes)
    lease = MarkerLease(TITLE, MarkerItem(client), lambda: client.prefixes)
    return external_service(NAME, url, client, lease, tables, on_rows)


@contextmanager
def driver_errors() -> Iterator[None]:
    """Raise what the driver raises as Problem. Its own messages may hold the address: they are not passed on."""
    try:
        yield
    except MemcacheError as error:
        raise Problem(f"memcached refused a command of the lab's: {type(error).__name__}") from None
    except OSError as error:
        kind = error.strerror or type(error).__name__
        raise Problem(
            f"memcached cannot be reached: {printable(kind, 100)}", "does it run, and are host and port right?"
        ) from None


def list_keys(address: Address) -> list[bytes]:
    """The names of keys, by one listing. Written by hand: the driver's `raw_command` loses most of a long answer.

    Raises:
        Problem: it does not list them, or is busy with other listings for too long.
    """
    until = time.monotonic() + LISTS_WITHIN_SECONDS
    while True:
        with driver_errors(), socket.create_connection(address, timeout=ANSWERS_WITHIN_SECONDS) as connection:
            connection.sendall(b"lru_crawler metadump all\r\n")
            with connection.makefile("rb") as answer:
                keys = _parse_listing(answer)
        if keys is not None:
            return keys
        if time.monotonic() > until:
            raise Problem("memcached does not list its keys: it is busy with another list", "run it again")
        time.sleep(ASK_AGAIN_SECONDS)


def _parse_listing(answer: Iterable[bytes]) -> list[bytes] | None:
    """The keys in an answer to `lru_crawler metadump`; None if memcached is busy, be it with a listing of its own."""
    keys: list[bytes] = []
    for line in answer:
        if line.strip() == b"END":
            return keys
        if line.startswith(b"BUSY"):
            return None
        if not line.startswith(b"key="):
            raise Problem(f"memcached does not list its keys: {printable(line.decode(errors='replace'), 80)}")
        keys.append(unquote_to_bytes(line.split()[0].removeprefix(b"key=")))
    raise Problem("memcached broke off the list of its keys")


def _address(url: str) -> Address:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if host and "@" in parts.netloc:
        raise Problem(f"the URL of the {TITLE} holds a user or a password, and it knows neither", FORM)
    if not host or not port or parts.path.strip("/") or parts.query or parts.fragment:
        raise Problem(f"the URL of the {TITLE} is malformed", FORM)
    return host, port


def _fill(driver: Driver, table: Table, on_rows: RowsLoaded) -> None:
    for batch in batches(table, on_rows):
        driver.set_many(batch, noreply=True)
    driver.version()  # answered when all keys are set: a connection's commands are done in turn


def _verify(driver: Driver, table: Table, count: int) -> None:
    assert_loaded(table, count, lambda key: sampled_row(table, key, driver.get(key_of(table, key))))


def _evictions(driver: Driver) -> int:
    return int(driver.stats()[b"evictions"])


def _has_prefix(prefixes: Sequence[str], key: bytes) -> bool:
    return key.startswith(tuple(prefix.encode() for prefix in prefixes))


def _text(value: object) -> str | None:
    return value.decode(errors="replace") if isinstance(value, bytes) else None
