"""How memcached is spoken to."""

import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Literal
from urllib.parse import unquote_to_bytes

from pymemcache.client.base import Client
from pymemcache.exceptions import MemcacheError

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

TITLE = "memcached"
ANSWERS_WITHIN_SECONDS = 30.0
MOVED_WITHIN_SECONDS = 2.0
"""Its thread that moves keys sleeps for a second at the most: MAX_LRU_MAINTAINER_SLEEP in memcached's items.c."""

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


class Store:
    """The tables on one memcached, as the lab sees them."""

    def __init__(
        self, tables: Sequence[Table], url: str, address: Address, where: Literal["private", "external"]
    ) -> None:
        self._tables, self.url, self._address, self._where = tables, url, address, where
        self._writes_of_the_lab = self._dropped_as_loaded = 0

    def load(self, on_rows: RowsLoaded) -> None:
        """Load the tables, and prove it.

        Raises:
            Problem: what is stored is not what was to be loaded, or it does not answer.
        """
        with self.client() as client:
            dropped = _integer(client.stats()[b"evictions"])
            for table in self._tables:
                before = self._stored(client)
                _fill(client, table, on_rows)
                if _integer(client.stats()[b"evictions"]) > dropped:
                    raise Problem(
                        f"{TITLE} has too little memory for the table {table.name}: it dropped keys",
                        "give it more by its option -m, or load fewer rows",
                    )
                _verify(client, table, self._stored(client) - before)
            told, settings = client.stats(), client.stats("settings")
        self.identity = ServiceIdentity(
            name="memcached",
            product=f"memcached {printable(told[b'version'].decode(), 40)}",
            where=self._where,
            settings={
                "memory": f"{int(settings[b'maxbytes']) // 2**20} MiB",
                "threads": str(_integer(settings[b"num_threads"])),
                "connections": str(_integer(settings[b"maxconns"])),
                "durability": "none: in memory",
            },
        )
        self._writes_of_the_lab, self._dropped_as_loaded = self._counted()["writes"], dropped

    def altered(self) -> bool:
        """Whether any command that may write was given, the lab's own apart, or memory was too small for all keys.

        True of a server that cannot be asked.
        """
        try:
            with self.client() as client:
                dropped = _integer(client.stats()[b"evictions"])
            return dropped > self._dropped_as_loaded or self._counted()["writes"] != self._writes_of_the_lab
        except Problem:
            return True

    def counters(self) -> Counters:
        """memcached counts keys and not commands: of one get for five keys, reads are five. rows_read: keys found.

        Nothing of a server that cannot be asked.
        """
        try:
            return self._counted()
        except Problem:
            return {}

    def _counted(self) -> Counters:
        with self.client() as client:
            told = client.stats()
        writes = sum(_integer(told.get(name.encode(), 0)) for name in WRITES)
        return {"reads": _integer(told[b"cmd_get"]), "writes": writes, "rows_read": _integer(told[b"get_hits"])}

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All keys of a table, in no order."""
        of = table_of(self._tables, table)
        with self.client() as client:
            keys = sorted(key for key in self.listed(client) if key.startswith(of.key_prefix.encode()))
            for begin in range(0, len(keys), BATCH_ROWS):
                for key, value in client.get_many(keys[begin : begin + BATCH_ROWS]).items():
                    yield stored_row(of, key, value)

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set the value of one key that is there."""
        name = key_of(table_of(self._tables, table, column), key)
        with self.client() as client:
            there = client.replace(name, value.encode(), noreply=False)
        self._writes_of_the_lab += 1
        if not there:
            raise Problem(f"there is no key {printable(name.decode())} to change")

    def _stored(self, client: Client) -> int:
        """How many keys there are of all tables."""
        return _integer(client.stats()[b"curr_items"])

    def listed(self, client: Client) -> set[bytes]:
        """The names of all keys.

        A walk over them misses those that memcached moves from one of its lists to another, which it does some time
        after they were read. So walks go on until there are as many as memcached counts or, for it counts also those
        that have expired, until nothing new was found for longer than it lets a move wait.

        Raises:
            Problem: there is something new all the time, or it does not answer.
        """
        listed: set[bytes] = set()
        begun = newest = time.monotonic()
        while True:
            found = set(walk(self._address)) - listed
            listed |= found
            if len(listed) >= _integer(client.stats()[b"curr_items"]):
                return listed
            now = time.monotonic()
            if found:
                newest = now
            elif now - newest > MOVED_WITHIN_SECONDS:
                return listed
            if now - begun > LISTS_WITHIN_SECONDS:
                raise Problem("memcached lists other keys every time", "is someone still writing? run it again")
            time.sleep(ASK_AGAIN_SECONDS)

    @contextmanager
    def client(self) -> Iterator[Client]:
        """A client for a moment; what it raises, as Problem."""
        with spoken(), closing(connected(self._address)) as client:
            yield client


@contextmanager
def spoken() -> Iterator[None]:
    """What the client raises, as Problem. Its own words may hold the address: they are not passed on."""
    try:
        yield
    except MemcacheError as error:
        raise Problem(f"memcached refused a command of the lab's: {type(error).__name__}") from None
    except OSError as error:
        said = error.strerror or type(error).__name__
        raise Problem(
            f"memcached cannot be reached: {printable(said, 100)}", "does it run, and are host and port right?"
        ) from None


def _fill(client: Client, table: Table, on_rows: RowsLoaded) -> None:
    for batch in batches(table, on_rows):
        client.set_many(batch, noreply=True)
    # Its answer comes after everything before it was done: commands of a connection are done in turn.
    client.version()


def _verify(client: Client, table: Table, count: int) -> None:
    assert_loaded(table, count, lambda key: sampled_row(table, key, client.get(key_of(table, key))))


def walk(address: Address) -> list[bytes]:
    """The names of keys, by one walk. By hand: the client's `raw_command` loses most of a long answer.

    Raises:
        Problem: it does not list them, or something else is listed all the time.
    """
    until = time.monotonic() + LISTS_WITHIN_SECONDS
    while True:
        with spoken(), socket.create_connection(address, timeout=ANSWERS_WITHIN_SECONDS) as asked:
            asked.sendall(b"lru_crawler metadump all\r\n")
            with asked.makefile("rb") as said:
                listed = _read(said)
        if listed is not None:
            return listed
        if time.monotonic() > until:
            raise Problem("memcached does not list its keys: it is busy with another list", "run it again")
        time.sleep(ASK_AGAIN_SECONDS)


def _read(said: Iterable[bytes]) -> list[bytes] | None:
    """The answer to `lru_crawler metadump`; None if memcached is busy, also with a walk of its own."""
    listed: list[bytes] = []
    for line in said:
        if line.strip() == b"END":
            return listed
        if line.startswith(b"BUSY"):
            return None
        if not line.startswith(b"key="):
            raise Problem(f"memcached does not list its keys: {printable(line.decode(errors='replace'), 80)}")
        listed.append(unquote_to_bytes(line.split()[0].removeprefix(b"key=")))
    raise Problem("memcached broke off the list of its keys")


def connected(address: Address) -> Client:
    """A client that raises at once what goes wrong."""
    return Client(address, connect_timeout=ANSWERS_WITHIN_SECONDS, timeout=ANSWERS_WITHIN_SECONDS)


def _integer(told: Any) -> int:
    return int(told)
