"""The lab's own access to a database that speaks SQL: loading, reading back, changing, counting."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, ClassVar

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.loading import assert_loaded
from fairtrial.catalog.services.model import Counters, RowsLoaded
from fairtrial.catalog.tables import ColumnKind, Index, Table

Hidden = Callable[[str], str]
"""A driver's message as it may be shown."""


class SqlClient(ABC):
    """Access to one database as one user. Every call has a connection of its own and closes it; none is held but by
    `kept_connection`.

    Names of tables and columns come from the workloads, never from outside, and are written into statements as they
    are.
    """

    title: ClassVar[str]
    errors: ClassVar[tuple[type[Exception], ...]]
    """what the driver raises"""
    oldest: ClassVar[tuple[int, ...]]
    """the oldest version of the server whose statements and counters the lab knows"""
    lock: ClassVar[str]
    """a query that takes the server's lock on the database for its session and answers whether it has it"""
    never_idle: ClassVar[str]
    """a statement after which the server does not end the session however long it is idle"""

    def __init__(self, hidden: Hidden = lambda message: message) -> None:
        self._hidden = hidden

    @abstractmethod
    def _open(self, loading: bool) -> Any:
        """A new DB-API connection in autocommit mode; `loading`: ready for `_fill`."""

    @abstractmethod
    def _server_version(self, connection: Any) -> tuple[int, ...] | None:
        """The numbers of its version, as it says when it is connected to; None if it is of another make."""

    @abstractmethod
    def _fill(self, connection: Any, table: Table, on_rows: RowsLoaded) -> None:
        """Make a table by `create_statement`, and bring its rows in."""

    @abstractmethod
    def _settle(self, connection: Any, table: Table) -> None:
        """Have the planner know a loaded table."""

    @abstractmethod
    def _stream(self, connection: Any, query: str) -> AbstractContextManager[Iterator[Sequence[Any]]]:
        """A query's rows, a few at a time: a table may be larger than the lab's memory."""

    @abstractmethod
    def column_type(self, kind: ColumnKind, indexed: bool) -> str:
        """What a column of this kind is declared as; `indexed`: it is part of an index other than the key's."""

    @abstractmethod
    def counters(self) -> Counters:
        """As `RunningService.counters`; `Problem` if the database cannot be asked."""

    @abstractmethod
    def altering(self) -> int:
        """How many rows were written so far, and tables altered, by those whose statements are counted.

        Raises:
            Problem: the database cannot be asked.
        """

    @abstractmethod
    def tables(self) -> list[str]:
        """Everything in the database that can be read from by name, sorted."""

    @abstractmethod
    def cut_others(self, connection: Any) -> None:
        """End all connections to the database but this one, as far as this user may.

        Raises:
            Problem: the database refused.
        """

    @contextmanager
    def connection(self, loading: bool = False) -> Iterator[Any]:
        """A connection, closed at the end.

        Raises:
            Problem: the database cannot be reached, or refused a statement.
        """
        connection = self._reached(loading)
        try:
            with self._refusals():
                yield connection
        finally:
            connection.close()

    def _reached(self, loading: bool) -> Any:
        try:
            return self._open(loading)
        except self.errors as error:
            raise Problem(
                f"{self.title} cannot be reached: {self._said(error)}",
                "does it run there, and are user, password and database right?",
            ) from None  # the driver's own error may show what was connected to

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except self.errors as error:
            raise Problem(
                f"{self.title} refused: {self._said(error)}", "see what it says; is there space, may the user do that?"
            ) from None

    def kept_connection(self) -> Any:
        """A connection that stays open until `let_go`, however long it is idle.

        Raises:
            Problem: as `connection`.
        """
        connection = self._reached(loading=False)
        try:
            with self._refusals(), connection.cursor() as cursor:
                cursor.execute(self.never_idle)
        except BaseException:
            self.let_go(connection)
            raise
        return connection

    def takes_lock(self, connection: Any) -> bool:
        """Whether the database is this connection's, by the server's own lock, as long as the connection lasts.

        Raises:
            Problem: the connection was cut, or the database refused.
        """
        with self._refusals(), connection.cursor() as cursor:
            cursor.execute(self.lock)
            (taken,) = cursor.fetchone()
        return bool(taken)

    def let_go(self, connection: Any) -> None:
        """Close a connection that was kept, whatever became of it."""
        with suppress(*self.errors):
            connection.close()

    def assert_new_enough(self) -> None:
        """Ask for nothing but the version.

        Raises:
            Problem: the server is older than `oldest`, or as `connection`.
        """
        with self.connection() as connection:
            version = self._server_version(connection)
        if version is not None and version < self.oldest:
            raise Problem(
                f"{self.title} {dotted(version)} runs there; {dotted(self.oldest)} or newer is needed",
                "name a newer server, or have the lab start one of its own",
            )

    def _said(self, error: Exception) -> str:
        message = error.args[-1] if error.args else ""
        return self._hidden(str(message).strip()[:500] or type(error).__name__)

    def ask(self, query: str, parameters: Sequence[object] | None = None) -> list[Sequence[Any]]:
        """All rows of a query's answer; few.

        Raises:
            Problem: as `connection`.
        """
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.execute(query, parameters)
            return list(cursor.fetchall())

    def tell(self, *statements: str) -> None:
        """Statements that answer nothing, each on its own.

        Raises:
            Problem: as `connection`.
        """
        with self.connection() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def load(self, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        """Make the tables and their indexes, and hold what they contain against what was to be loaded.

        Raises:
            Problem: the database refused, or does not hold what was generated.
        """
        with self.connection(loading=True) as connection:
            for table in tables:
                self._fill(connection, table, on_rows)
                with connection.cursor() as cursor:
                    for index in table.indexes:
                        cursor.execute(index_statement(table, index))
                self._settle(connection, table)
                self._verify(connection, table)

    def _verify(self, connection: Any, table: Table) -> None:
        names = table.given_columns
        query = f"SELECT {', '.join(names)} FROM {table.name} WHERE {names[0]} = %s"  # noqa: S608
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {table.name}")  # noqa: S608
            (count,) = cursor.fetchone()

            def stored(key: object) -> dict[str, Any] | None:
                cursor.execute(query, [key])
                row = cursor.fetchone()
                return None if row is None else told(table.columns, names, row)

            assert_loaded(table, count, stored)

    def create_statement(self, table: Table) -> str:
        """CREATE TABLE, without the indexes."""
        indexed = {column for index in table.indexes for column in index.columns}
        columns = [f"{name} {self.column_type(kind, name in indexed)}" for name, kind in table.columns.items()]
        return f"CREATE TABLE {table.name} ({', '.join(columns)})"

    def rows(self, table: Table) -> Iterator[dict[str, Any]]:
        """As `RunningService.rows`.

        Raises:
            Problem: as `connection`.
        """
        names = list(table.columns)
        query = f"SELECT {', '.join(names)} FROM {table.name}"  # noqa: S608
        with self.connection() as connection, self._stream(connection, query) as rows:
            for row in rows:
                yield told(table.columns, names, row)

    def change(self, table: Table, key: int, column: str, value: str) -> int:
        """As `RunningService.change`; returns how many rows there were to change.

        Raises:
            Problem: as `connection`.
        """
        (key_column,) = [name for name, kind in table.columns.items() if kind in ("key", "serial")]
        with self.connection() as connection, connection.cursor() as cursor:
            statement = f"UPDATE {table.name} SET {column} = %s WHERE {key_column} = %s"  # noqa: S608
            cursor.execute(statement, [value, key])
            return int(cursor.rowcount)


def dotted(version: Sequence[int]) -> str:
    """(10, 5) as 10.5."""
    return ".".join(map(str, version))


def index_statement(table: Table, index: Index) -> str:
    """CREATE INDEX."""
    unique = "UNIQUE " if index.unique else ""
    name = "_".join([table.name, *index.columns])
    return f"CREATE {unique}INDEX {name} ON {table.name} ({', '.join(index.columns)})"


def told(kinds: Mapping[str, ColumnKind], names: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    """A row from a driver, as the lab compares rows: times as RFC 3339 in UTC, JSON decoded where it is JSON."""
    return {name: _told(kinds[name], value) for name, value in zip(names, row, strict=True)}


def _told(kind: ColumnKind, value: Any) -> Any:
    if isinstance(value, datetime):
        moment = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return f"{moment.isoformat()}Z"
    if kind == "json" and isinstance(value, bytes | str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
