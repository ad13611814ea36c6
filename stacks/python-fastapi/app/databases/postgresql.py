"""PostgreSQL, by asyncpg: it prepares each statement once on each connection."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from app.databases.database import Connection, Database, Row

CONNECT_SECONDS = 10


class PostgreSQLConnection(Connection):
    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def rows(self, statement: str, *values: Any) -> list[Row]:
        return [dict(record) for record in await self._connection.fetch(statement, *values)]

    async def run(self, statement: str, *values: Any) -> None:
        await self._connection.execute(statement, *values)


class PostgreSQL(Database):
    sleep = f"SELECT {os.environ.get('LONG_FUNCTION', 'pg_sleep')}($1)"

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        async with self._pool.acquire() as connection:
            try:
                yield PostgreSQLConnection(connection)
            except BaseException:
                connection.terminate()
                raise


@asynccontextmanager
async def open_database(url: str, connections: int) -> AsyncIterator[Database]:
    async with asyncpg.create_pool(
        url,
        min_size=1,
        max_size=connections,
        max_inactive_connection_lifetime=0,  # idle connections are kept
        timeout=CONNECT_SECONDS,
        reset=_nothing_to_reset,
    ) as pool:
        yield PostgreSQL(pool)


async def _nothing_to_reset(_connection: asyncpg.Connection) -> None:
    """asyncpg would ask PostgreSQL for a reset after each use; routes change nothing of a session."""
