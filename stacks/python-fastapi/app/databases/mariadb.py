"""MariaDB, by aiomysql."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

import aiomysql

from app.databases.database import Connection, Database, Row

CONNECT_SECONDS = 10


class MariaDBConnection(Connection):
    def __init__(self, connection: aiomysql.Connection) -> None:
        self._connection = connection

    async def rows(self, statement: str, *values: Any) -> list[Row]:
        async with self._connection.cursor() as cursor:
            await cursor.execute(statement.replace("$1", "%s"), values)
            return await cursor.fetchall()

    async def run(self, statement: str, *values: Any) -> None:
        async with self._connection.cursor() as cursor:
            await cursor.execute(statement.replace("$1", "%s"), values)


class MariaDB(Database):
    sleep = f"SELECT {os.environ.get('LONG_FUNCTION', 'SLEEP')}($1)"

    def __init__(self, pool: aiomysql.Pool) -> None:
        self._pool = pool

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        async with self._pool.acquire() as connection:
            try:
                yield MariaDBConnection(connection)
            except BaseException:
                connection.close()
                raise


@asynccontextmanager
async def open_database(url: str, connections: int) -> AsyncIterator[Database]:
    parts = urlsplit(url)
    async with aiomysql.create_pool(
        minsize=1,
        maxsize=connections,
        host=parts.hostname,
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        db=parts.path.removeprefix("/"),
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=CONNECT_SECONDS,
        cursorclass=aiomysql.DictCursor,
    ) as pool:
        yield MariaDB(pool)
