"""SQLite, read-only. A query does not wait for a socket: under gevent it holds up all fibers of the process."""

import sqlite3
from collections.abc import Callable
from urllib.parse import quote

from app.databases.database import Dialect, Row

SCHEME = "sqlite:///"

# The same in every stack, because drivers are compiled with different defaults.
PRAGMAS = ("busy_timeout = 5000", "cache_size = -2000", "mmap_size = 0")

DIALECT = Dialect(placeholder="?")


def connector(url: str) -> Callable[[], sqlite3.Connection]:
    """A function that opens a connection."""
    path = url.removeprefix(SCHEME)
    if path == url or not path.startswith("/"):
        raise ValueError(f"DATABASE_URL must be sqlite:////absolute/path.db, not {url!r}")

    def connect() -> sqlite3.Connection:
        # check_same_thread: a connection serves one thread at a time, but not always the same one.
        connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, check_same_thread=False)
        connection.row_factory = _as_dictionary
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        return connection

    return connect


def _as_dictionary(cursor: sqlite3.Cursor, values: tuple) -> Row:
    return {column[0]: value for column, value in zip(cursor.description, values, strict=True)}
