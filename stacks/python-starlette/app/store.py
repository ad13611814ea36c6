"""The database: a pool of aiosqlite connections (each has a thread of its own), and the queries."""

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Self
from urllib.parse import quote

import aiosqlite

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


def check_database(database_url: str) -> None:
    """Raises a StoreError if the database cannot be used.

    By sqlite3 itself, because aiosqlite leaves a thread behind where it cannot connect.
    """
    path = _sqlite_path(database_url)
    try:
        with closing(sqlite3.connect(_read_only(path), uri=True)) as connection:
            first, _ = connection.execute(BOUNDS).fetchone()
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}") from error
    if first is None:
        raise StoreError(f"{path}: the table items is empty")


class Store:
    def __init__(self) -> None:
        self._connections: list[aiosqlite.Connection] = []
        self._idle: asyncio.Queue[aiosqlite.Connection] = asyncio.Queue()
        self._first = self._last = 0

    @classmethod
    @asynccontextmanager
    async def open(cls, database_url: str, connections: int) -> AsyncIterator[Self]:
        path = _sqlite_path(database_url)
        store = cls()
        try:
            for _ in range(connections):
                await store._connect(path)
            await store._read_bounds()
            yield store
        finally:
            for connection in store._connections:
                await connection.close()

    async def random_item(self) -> dict | None:
        return await self._one(PICK, random.randint(self._first, self._last))

    async def item_by_uuid(self, uuid: str) -> dict | None:
        return await self._one(BY_UUID, uuid)

    async def _connect(self, path: str) -> None:
        connection = await aiosqlite.connect(_read_only(path), uri=True)
        self._connections.append(connection)
        connection.row_factory = sqlite3.Row
        for pragma in PRAGMAS:
            await connection.execute_fetchall(f"PRAGMA {pragma}")
        self._idle.put_nowait(connection)

    async def _read_bounds(self) -> None:
        async with self._connection() as connection:
            [(self._first, self._last)] = await connection.execute_fetchall(BOUNDS)

    async def _one(self, query: str, value: int | str) -> dict | None:
        # execute_fetchall crosses to the connection's thread once; execute, fetchone and close would cross it
        # three times. sqlite3 keeps the prepared statement with the connection.
        async with self._connection() as connection:
            rows = await connection.execute_fetchall(query, (value,))
        return next((dict(row) for row in rows), None)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[aiosqlite.Connection]:
        connection = await self._idle.get()
        try:
            yield connection
        finally:
            self._idle.put_nowait(connection)


def _sqlite_path(database_url: str) -> str:
    path = database_url.removeprefix(SQLITE_SCHEME)
    if path == database_url or not path.startswith("/"):
        raise StoreError(f"DATABASE_URL must be sqlite:////absolute/path.db, not {database_url!r}")
    return path


def _read_only(path: str) -> str:
    return f"file:{quote(path)}?mode=ro"
