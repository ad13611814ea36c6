"""PostgreSQL, by psycopg 3, which prepares a statement that a connection has run five times."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from app.databases.database import Connection, Database, Row

CONNECT_SECONDS = 10


class PsycopgConnection(Connection):
    def __init__(self, connection: AsyncConnection[Row]) -> None:
        self._connection = connection

    async def rows(self, statement: str, *values: Any) -> list[Row]:
        return await (await self._connection.execute(statement.replace("$1", "%s"), values)).fetchall()

    async def run(self, statement: str, *values: Any) -> None:
        await self._connection.execute(statement.replace("$1", "%s"), values)


class Psycopg(Database):
    sleep = f"SELECT {os.environ.get('LONG_FUNCTION', 'pg_sleep')}($1)"

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[Row]]) -> None:
        self._pool = pool

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        connection = await self._pool.getconn()
        try:
            yield PsycopgConnection(connection)
        except BaseException:
            await connection.close()
            raise
        finally:
            await self._pool.putconn(connection)


@asynccontextmanager
async def open_database(url: str, connections: int) -> AsyncIterator[Database]:
    async with AsyncConnectionPool(
        url,
        min_size=1,
        max_size=connections,
        max_idle=float("inf"),  # idle connections are kept
        max_lifetime=float("inf"),
        timeout=CONNECT_SECONDS,
        kwargs={
            "autocommit": True,
            "connect_timeout": CONNECT_SECONDS,
            "options": "-c TimeZone=UTC",
            "row_factory": dict_row,
        },
    ) as pool:
        yield Psycopg(pool)
