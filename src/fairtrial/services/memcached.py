"""memcached: keys and values in memory, as a database or as a cache. Always the lab's own: it cannot be shared safely,
for it knows neither databases nor owners of keys."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from pymemcache.client.base import Client
from pymemcache.exceptions import MemcacheError

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
from fairtrial.services.private.server import Command, PrivateServer
from fairtrial.tables import Table

TITLE = PROGRAM = "memcached"
LEAST_MEGABYTES = 256
ITEM_OVERHEAD_BYTES = 128
"""An item's header, and what is left free in its chunk."""

ROOM = 2
"""So many times what the data need: nothing is to be dropped for want of memory."""

ANSWERS_WITHIN_SECONDS = 30.0
MOST_WALKS = 20
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


class RunningMemcached:
    """A memcached of the lab's own with the tables."""

    def __init__(self, tables: Sequence[Table], on_rows: RowsLoaded, server: PrivateServer) -> None:
        self._tables, self._on_rows, self._server = tables, on_rows, server
        self.url = f"memcached://{LOOPBACK}:{server.port}"
        self._start()
        with self._client() as client:
            told, settings = client.stats(), client.stats("settings")
        self.identity = ServiceIdentity(
            name="memcached",
            product=f"memcached {printable(told[b'version'].decode(), 40)}",
            where="private",
            settings={
                "memory": f"{int(settings[b'maxbytes']) // 2**20} MiB",
                "threads": str(_integer(settings[b"num_threads"])),
                "connections": str(_integer(settings[b"maxconns"])),
                "durability": "none: in memory",
            },
        )

    def _start(self) -> None:
        self._server.start()
        with self._client() as client:
            for table in self._tables:
                _load(client, table, self._on_rows)
        self._writes_of_the_lab = self._counted()["writes"]

    @property
    def pid(self) -> int | None:
        """The guard above it."""
        return self._server.pid

    def fault(self) -> str | None:
        """Why it does not run, or None."""
        return self._server.fault()

    def altered(self) -> bool:
        """Whether any command that may write was given, the lab's own apart, or memory was too small for all keys.

        True of a server that cannot be asked.
        """
        try:
            with self._client() as client:
                dropped = _integer(client.stats()[b"evictions"])
            return dropped > 0 or self._counted()["writes"] != self._writes_of_the_lab
        except Problem:
            return True

    def reset(self) -> None:
        """A new process, loaded again."""
        self._server.stop()
        self._start()

    def counters(self) -> Counters:
        """memcached counts keys and not commands: of one get for five keys, reads are five. rows_read: keys found.

        Nothing of a server that cannot be asked.
        """
        try:
            return self._counted()
        except Problem:
            return {}

    def _counted(self) -> Counters:
        with self._client() as client:
            told = client.stats()
        writes = sum(_integer(told.get(name.encode(), 0)) for name in WRITES)
        return {"reads": _integer(told[b"cmd_get"]), "writes": writes, "rows_read": _integer(told[b"get_hits"])}

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All keys of a table, in no order."""
        of = table_of(self._tables, table)
        with self._client() as client:
            listed = self._listed(client)
            keys = sorted(key for key in listed if key.startswith(of.key_prefix.encode()))
            for begin in range(0, len(keys), BATCH_ROWS):
                for key, value in client.get_many(keys[begin : begin + BATCH_ROWS]).items():
                    yield stored_row(of, key, value)

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set the value of one key that is there."""
        name = key_of(table_of(self._tables, table, column), key)
        with self._client() as client:
            there = client.replace(name, value.encode(), noreply=False)
        self._writes_of_the_lab += 1
        if not there:
            raise Problem(f"there is no key {printable(name.decode())} to change")

    def _listed(self, client: Client) -> set[bytes]:
        """The names of all keys. A walk over them misses those that memcached moves to another list meanwhile."""
        listed: set[bytes] = set()
        for _ in range(MOST_WALKS):
            listed.update(_keys(self._server.port))
            if len(listed) >= _integer(client.stats()[b"curr_items"]):
                return listed
        raise Problem("memcached does not list all of its keys", "is someone still writing? run it again")

    @contextmanager
    def _client(self) -> Iterator[Client]:
        """A client for a moment; what it raises, as Problem."""
        try:
            with closing(_connected(self._server.port)) as client:
                yield client
        except (MemcacheError, OSError) as error:
            raise Problem(f"memcached does not answer: {printable(str(error), 200) or type(error).__name__}") from error


@contextmanager
def up(tables: Sequence[Table], variant: str, on_rows: RowsLoaded) -> Iterator[RunningMemcached]:
    """A memcached of the lab's own with the tables.

    Raises:
        Problem: it is not installed, does not start, or the tables are no keys and values.
    """
    del variant
    assert_fit(TITLE, tables)
    assert_installed(missing())
    command = _command(megabytes(tables))
    with run_folder("memcached") as folder, PrivateServer(TITLE, folder, command, _is_ready) as server:
        yield RunningMemcached(tables, on_rows, server)


def megabytes(tables: Sequence[Table]) -> int:
    """The memory it is given, by a sample of the rows."""
    needed = 0.0
    for table in tables:
        sample = table.rows.sample()
        texts = sum(len(table.key_prefix) + len("".join(map(str, row.values())).encode()) for row in sample)
        needed += table.rows.count * (ITEM_OVERHEAD_BYTES + texts / max(1, len(sample)))
    return max(LEAST_MEGABYTES, int(ROOM * needed / 2**20) + 1)


def _load(client: Client, table: Table, on_rows: RowsLoaded) -> None:
    before = _integer(client.stats()[b"curr_items"])
    for batch in batches(table, on_rows):
        client.set_many(batch, noreply=True)
    # Its answer comes after everything before it was done: commands of a connection are done in turn.
    client.version()
    count = _integer(client.stats()[b"curr_items"]) - before
    assert_loaded(table, count, lambda key: sampled_row(table, key, client.get(key_of(table, key))))


def _keys(port: int) -> Iterator[bytes]:
    """The names of keys, by one walk. By hand: the client's `raw_command` loses most of a long answer."""
    with (
        socket.create_connection((LOOPBACK, port), timeout=ANSWERS_WITHIN_SECONDS) as asked,
        asked.makefile("rb") as said,
    ):
        asked.sendall(b"lru_crawler metadump all\r\n")
        for line in said:
            if line.strip() == b"END":
                return
            if not line.startswith(b"key="):
                raise Problem(f"memcached does not list its keys: {printable(line.decode(errors='replace'), 80)}")
            yield unquote_to_bytes(line.split()[0].removeprefix(b"key="))
    raise Problem("memcached broke off the list of its keys")


def _connected(port: int) -> Client:
    return Client((LOOPBACK, port), connect_timeout=ANSWERS_WITHIN_SECONDS, timeout=ANSWERS_WITHIN_SECONDS)


def _is_ready(port: int) -> bool:
    try:
        with closing(_connected(port)) as client:
            client.version()
    except (MemcacheError, OSError):
        return False
    return True


def _command(memory: int) -> Command:
    def command(_data: Path, port: int) -> list[str]:
        return [PROGRAM, "-l", LOOPBACK, "-p", str(port), "-U", "0", "-m", str(memory)]

    return command


def _integer(told: Any) -> int:
    return int(told)


def missing() -> Missing | None:
    """None if `memcached` is installed."""
    return missing_program(TITLE, PROGRAM, "memcached")


def version() -> str | None:
    """What `memcached --version` says."""
    return said_version([PROGRAM, "--version"])


SERVICE = Service(name="memcached", title=TITLE, roles=("database", "cache"), up=up, missing=missing, version=version)
