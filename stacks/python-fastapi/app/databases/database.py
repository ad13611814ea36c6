"""What routes ask of a database. Statements are written with $1, as none has more values; rows are dictionaries."""

from abc import ABC, abstractmethod
from contextlib import AbstractAsyncContextManager
from typing import Any

Row = dict[str, Any]


class Connection(ABC):
    """A connection that nobody else uses. It commits each statement by itself unless a transaction was begun."""

    @abstractmethod
    async def rows(self, statement: str, *values: Any) -> list[Row]:
        """The statement's rows."""

    @abstractmethod
    async def run(self, statement: str, *values: Any) -> None:
        """Run a statement without rows."""

    async def row(self, statement: str, *values: Any) -> Row | None:
        """The first row."""
        return next(iter(await self.rows(statement, *values)), None)


class Database(ABC):
    """A pool of connections."""

    sleep: str
    """the statement that sleeps, or works, for so many seconds"""

    @abstractmethod
    def connection(self) -> AbstractAsyncContextManager[Connection]:
        """One connection. After an error it is given up, with whatever was begun on it."""

    async def rows(self, statement: str, *values: Any) -> list[Row]:
        """The statement's rows."""
        async with self.connection() as connection:
            return await connection.rows(statement, *values)

    async def row(self, statement: str, *values: Any) -> Row | None:
        """The first row."""
        async with self.connection() as connection:
            return await connection.row(statement, *values)
