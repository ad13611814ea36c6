"""The database: a pool of connections that the threads of a process share, and the queries."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from urllib.parse import quote

COLUMNS = "id, uuid, name, hash_code, created_at"
PICK = f"SELECT {COLUMNS} FROM items WHERE id >= ? ORDER BY id LIMIT 1"
BY_UUID = f"SELECT {COLUMNS} FROM items WHERE uuid = ?"
# Two selects, because min() and max() in one would scan the whole table.
BOUNDS = "SELECT (SELECT min(id) FROM items), (SELECT max(id) FROM items)"

# The same in every stack, because drivers are compiled with different defaults.
PRAGMAS = ("busy_timeout = 5000", "cache_size = -2000", "mmap_size = 0")

SQLITE_SCHEME = "sqlite:///"


class StoreError(Exception):
    """The database cannot be used: its message says which, and why."""


class Store:
    def __init__(self, database_url: str, connections: int) -> None:
        path = _sqlite_path(database_url)
        self._size = connections
        self._idle: SimpleQueue[sqlite3.Connection] = SimpleQueue()
        try:
            for _ in range(connections):
                self._idle.put(_connect(path))
            with self._connection() as connection:
                self._first, self._last = connection.execute(BOUNDS).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"{path}: {error}") from error
        if self._first is None:
            raise StoreError(f"{path}: the table items is empty")

    def random_item(self) -> dict | None:
        return self._one(PICK, random.randint(self._first, self._last))

    def item_by_uuid(self, uuid: str) -> dict | None:
        return self._one(BY_UUID, uuid)

    def close(self) -> None:
        """Waits for queries that run: a connection is closed as it comes back to the pool."""
        for _ in range(self._size):
            self._idle.get().close()

    def _one(self, query: str, value: int | str) -> dict | None:
        # sqlite3 keeps the prepared statement with the connection.
        with self._connection() as connection:
            row = connection.execute(query, (value,)).fetchone()
        return dict(row) if row is not None else None

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        connection = self._idle.get()
        try:
            yield connection
        finally:
            self._idle.put(connection)


def _sqlite_path(database_url: str) -> str:
    path = database_url.removeprefix(SQLITE_SCHEME)
    if path == database_url or not path.startswith("/"):
        raise StoreError(f"DATABASE_URL must be sqlite:////absolute/path.db, not {database_url!r}")
    return path


def _connect(path: str) -> sqlite3.Connection:
    # check_same_thread: a connection serves one thread at a time, but not always the same one.
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection
