"""A pool of connections, and how statements are run on them. Rows are dictionaries by column name."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy.pool import NullPool, QueuePool

WAIT_SECONDS = 30

Row = dict[str, Any]


@dataclass(frozen=True)
class Dialect:
    """In what the databases differ."""

    placeholder: str  # of a statement's values; statements are written with %s
    sleep: str = ""  # the statement that sleeps, or works, for so many seconds


class Connection:
    """A connection of the driver's, which is in nobody else's hands. It commits each statement by itself unless a
    transaction was begun."""

    def __init__(self, connection: Any, dialect: Dialect) -> None:
        self._connection = connection
        self._dialect = dialect

    def rows(self, statement: str, *values: Any) -> list[Row]:
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(statement.replace("%s", self._dialect.placeholder), values)
            return cursor.fetchall()

    def row(self, statement: str, *values: Any) -> Row | None:
        return next(iter(self.rows(statement, *values)), None)

    def run(self, statement: str, *values: Any) -> None:
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(statement.replace("%s", self._dialect.placeholder), values)

    def begin(self) -> None:
        self.run("BEGIN")

    def commit(self) -> None:
        self.run("COMMIT")

    def rollback(self) -> None:
        self.run("ROLLBACK")


class Database:
    """A pool that the threads, or fibers, of a process share."""

    def __init__(self, connect: Callable[[], Any], dialect: Dialect, connections: int, *, keeps: bool) -> None:
        self.dialect = dialect
        # Every transaction ends with a statement of its own: without reset_on_return, PyMySQL would send a rollback
        # after each request.
        self._pool = (
            QueuePool(connect, pool_size=connections, max_overflow=0, timeout=WAIT_SECONDS, reset_on_return=None)
            if keeps
            else NullPool(connect, reset_on_return=None)  # as many as there are requests at once
        )

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """One connection. After an error it is given up, with whatever was begun on it."""
        pooled = self._pool.connect()
        try:
            yield Connection(pooled.dbapi_connection, self.dialect)
        except BaseException:
            pooled.invalidate()
            raise
        pooled.close()

    def rows(self, statement: str, *values: Any) -> list[Row]:
        with self.connection() as connection:
            return connection.rows(statement, *values)

    def row(self, statement: str, *values: Any) -> Row | None:
        with self.connection() as connection:
            return connection.row(statement, *values)
