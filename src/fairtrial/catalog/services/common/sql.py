"""Clients of SQL databases: loading, reading back, changing, and telling the lab's tables from others."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, ClassVar

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.client import State
from fairtrial.catalog.services.common.external import ExternalClient
from fairtrial.catalog.services.common.installed import dotted
from fairtrial.catalog.services.common.lab_work import ChangeInCounters, ClientChange, LabWork, one_write
from fairtrial.catalog.services.common.loading import assert_loaded
from fairtrial.catalog.services.model import MOST_CONCURRENCY, RowsLoaded
from fairtrial.catalog.tables import WORK_FUNCTION, WORK_TABLE, ColumnKind, Index, Table

Redact = Callable[[str], str]
"""From a driver's message, what may be shown of it."""

USER = "fairtrial"
"""On a private server, the user that stacks log in as, and the database that user owns."""

OF_ROWS = ("SELECT", "INSERT", "UPDATE", "DELETE")
"""What that user may do with each of the lab's tables."""

PASSWORD_BYTES = 18
MOST_CONNECTIONS = MOST_CONCURRENCY + 100
"""Of a private server: shares of the budget are rounded up for each process, and the lab has connections of its own."""

MARKER = "fairtrial_marker"
"""In a database of somebody else's, the table that names all tables that the lab made beside it."""

SHOWN_TABLES = 5


class SqlClient(ExternalClient, ABC):
    """The lab's access to one database as one user.

    Every call opens a connection and closes it; only `lasting_connection` gives one that stays open, and `changing`
    keeps one until it is left. Names of tables and columns come from the workloads, never from outside, and are written
    into statements as they are.

    Args:
        counted_user: whose statements the counters count; None: they count the lab's own, too.
        redact: strips a driver's messages of what must not be shown.
    """

    title: str
    errors: ClassVar[tuple[type[Exception], ...]]
    """what the driver raises"""
    oldest: ClassVar[tuple[int, ...]]
    """the oldest version of the server whose statements and counters the lab knows"""
    lock: ClassVar[str]
    """a query that takes the server's lock on the database for its session and answers whether it has it"""
    never_idle: ClassVar[str]
    """a statement after which the server does not end the session however long it is idle"""
    version_query: ClassVar[str]
    settings_query: ClassVar[str]
    """a query of (name, value)"""
    work_function: ClassVar[str]
    """makes the function that works by the table `WORK_TABLE`"""

    def __init__(self, counted_user: str | None = None, redact: Redact = lambda message: message) -> None:
        self._counted_user, self._redact = counted_user, redact
        self._changed_by_lab = 0
        self.lab_work = LabWork()

    @abstractmethod
    def _open(self, loading: bool) -> Any:
        """A new DB-API connection in autocommit mode; `loading`: ready for `_fill`."""

    @abstractmethod
    def _server_version(self, connection: Any) -> tuple[int, ...] | None:
        """The server's version, as it gives it when it is connected to; None if it is another product."""

    @abstractmethod
    def _fill(self, connection: Any, table: Table, on_rows: RowsLoaded) -> None:
        """Create a table by `create_statement`, and fill it."""

    @abstractmethod
    def _analyze(self, connection: Any, table: Table) -> None:
        """Have the planner take statistics of a loaded table."""

    @abstractmethod
    def _stream(self, connection: Any, query: str) -> AbstractContextManager[Iterator[Sequence[Any]]]:
        """A query's rows, a few at a time: a table may be larger than the lab's memory."""

    @abstractmethod
    def column_type(self, kind: ColumnKind, indexed: bool) -> str:
        """The declaration of a column of this kind; `indexed`: it is part of an index other than the key's."""

    @abstractmethod
    def rows_written(self) -> int:
        """As `Client.rows_written`; raises Problem if the database cannot be asked."""

    @abstractmethod
    def state(self) -> State:
        """As `Client.state`; raises Problem if the database cannot be asked."""

    def count_now(self, connection: Any) -> None:
        """Have the server count at once what this connection did."""

    @abstractmethod
    def relations(self) -> list[str]:
        """The names of all tables and views in the database, sorted.

        Raises:
            Problem: as `connection`.
        """

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
        connection = self._connect(loading)
        try:
            with self._driver_errors():
                yield connection
        finally:
            connection.close()

    def _connect(self, loading: bool) -> Any:
        try:
            return self._open(loading)
        except self.errors as error:
            raise Problem(
                f"{self.title} cannot be reached: {self._message(error)}",
                "does it run there, and are user, password and database right?",
            ) from None  # the driver's own error may show what was connected to

    @contextmanager
    def _driver_errors(self) -> Iterator[None]:
        """Raise what the driver raises as Problem."""
        try:
            yield
        except self.errors as error:
            raise Problem(
                f"{self.title} refused: {self._message(error)}",
                "see its message: is there space, and may the user do that?",
            ) from None

    def _message(self, error: Exception) -> str:
        message = error.args[-1] if error.args else ""
        return self._redact(str(message).strip()[:500] or type(error).__name__)

    def lasting_connection(self) -> Any:
        """A connection that stays open until `disconnect`, however long it is idle.

        Raises:
            Problem: as `connection`.
        """
        connection = self._connect(loading=False)
        try:
            with self._driver_errors(), connection.cursor() as cursor:
                cursor.execute(self.never_idle)
        except BaseException:
            self.disconnect(connection)
            raise
        return connection

    def try_lock(self, connection: Any) -> bool:
        """Take the server's lock on the database for this connection; returns whether it has it now.

        Raises:
            Problem: the connection was cut, or the database refused.
        """
        with self._driver_errors(), connection.cursor() as cursor:
            cursor.execute(self.lock)
            (locked,) = cursor.fetchone()
        return bool(locked)

    def disconnect(self, connection: Any) -> None:
        """Close a lasting connection, in whatever state it is."""
        with suppress(*self.errors):
            connection.close()

    def close(self) -> None:
        """Nothing: every call closes its own connection."""

    def assert_new_enough(self) -> None:
        """Refuse a server that is too old, before anything else is asked of it.

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

    def query(self, statement: str, parameters: Any = None) -> list[Sequence[Any]]:
        """All rows of a query's answer; for answers of few rows.

        Raises:
            Problem: as `connection`.
        """
        with self.connection() as connection, connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            self._count_statement(reads=statement.lstrip()[:6].upper() == "SELECT")
            return list(cursor.fetchall())

    def _count_statement(self, *, reads: bool) -> None:
        """A statement of the lab's was carried out, which is counted as the stack's where users are not told apart.

        The rows that it read are not taken off: databases differ in what rows of their own tables count as.
        """
        if self._counted_user is None:
            self.lab_work.add({"statements": 1, "reads": int(reads)})

    def change_in_counters(self, table: Table) -> ChangeInCounters:
        """The change of `counters` by a change of one row by its key.

        Where one user's statements are counted, the counters by table alone do not know who did it.
        """
        if self._counted_user is None:
            return one_write(table)
        return ChangeInCounters({f"rows_read.{table.name}": 1}, {f"rows_written.{table.name}": 1})

    def execute(self, *statements: str) -> None:
        """Statements that answer nothing, each in a transaction of its own.

        Raises:
            Problem: as `connection`.
        """
        with self.connection() as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def ping(self) -> None:
        """Have the server answer a query that touches nothing.

        Raises:
            Problem: as `connection`.
        """
        self.query("SELECT 1")

    def product(self) -> str:
        """The title, and the version as the server tells it.

        Raises:
            Problem: as `connection`.
        """
        ((version,),) = self.query(self.version_query)
        return printable(f"{self.title} {version}", 100)

    def settings(self) -> Mapping[str, str]:
        """Those that bear on speed and durability, as the server has them.

        Raises:
            Problem: as `connection`.
        """
        return {str(name): printable(str(value), 200) for name, value in self.query(self.settings_query)}

    def load(self, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        """Create the tables with their indexes, fill them, and verify what they hold; and the function that works.

        Raises:
            Problem: the database refused, or does not hold what was generated.
        """
        with self.connection(loading=True) as connection:
            for table in tables:
                self._fill(connection, table, on_rows)
                with connection.cursor() as cursor:
                    for index in table.indexes:
                        cursor.execute(index_statement(table, index))
                self._analyze(connection, table)
                self._verify(connection, table)
            if any(table.name == WORK_TABLE for table in tables):
                with connection.cursor() as cursor:
                    cursor.execute(self.work_function)
            self.count_now(connection)

    def _verify(self, connection: Any, table: Table) -> None:
        names = table.given_columns
        query = f"SELECT {', '.join(names)} FROM {table.name} WHERE {names[0]} = %s"  # noqa: S608
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {table.name}")  # noqa: S608
            (count,) = cursor.fetchone()

            def stored(key: object) -> dict[str, Any] | None:
                cursor.execute(query, [key])
                values = cursor.fetchone()
                return None if values is None else comparable_row(table.columns, names, values)

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
            for values in rows:
                yield comparable_row(table.columns, names, values)

    @contextmanager
    def changing(self, table: Table, column: str, *, together: bool = False) -> Iterator[ClientChange]:
        """As `Client.changing`; a change does nothing if there is no such row.

        Raises:
            Problem: as `connection`.
        """
        (key_column,) = [name for name, kind in table.columns.items() if kind in ("key", "serial")]
        statement = f"UPDATE {table.name} SET {column} = %s WHERE {key_column} = %s"  # noqa: S608
        with self.connection() as connection, connection.cursor() as cursor:

            def change(key: int, value: str) -> int:
                with self._driver_errors():
                    cursor.execute(statement, [value, key])
                written_rows = int(cursor.rowcount)
                self._changed_by_lab += written_rows
                self.lab_work.add({"commits": 1, "writing_commits": 1}, 0 if together else 1)
                return written_rows

            if not together:
                yield change
                self.count_now(connection)
                return
            with self._driver_errors():
                cursor.execute("BEGIN")
            yield change  # what is raised here ends the connection, and so the transaction, without a commit
            with self._driver_errors():
                cursor.execute("COMMIT")
                self.count_now(connection)
            self.lab_work.add({"commits": 1, "writing_commits": 1})

    def assert_only_labs_data(self) -> None:
        """Raise Problem if the database holds any table or view that no lab made.

        Raises:
            Problem: it does, or as `connection`.
        """
        relations = self.relations()
        marked = {MARKER, *self._marked()} if MARKER in relations else set()
        others = [name for name in relations if name not in marked]
        if others:
            examples = ", ".join(printable(name, 60) for name in others[:SHOWN_TABLES])
            more = f" and {len(others) - SHOWN_TABLES} more" if len(others) > SHOWN_TABLES else ""
            raise Problem(
                f"the {self.title} database holds tables that are not Fairtrial's: {examples}{more}",
                "name a database that is empty: Fairtrial drops and loads tables in it",
            )

    def _marked(self) -> list[str]:
        return [str(name) for (name,) in self.query(f"SELECT name FROM {MARKER}")]  # noqa: S608

    def clear(self, tables: Sequence[Table]) -> None:
        """Drop what a lab made, and name in a new marker the tables that are loaded next.

        Raises:
            Problem: as `connection`.
        """
        self.remove()
        names = ", ".join(f"('{table.name}')" for table in tables)
        self.execute(
            f"CREATE TABLE {MARKER} (name VARCHAR(64) NOT NULL PRIMARY KEY)",
            *([f"INSERT INTO {MARKER} VALUES {names}"] if names else []),  # noqa: S608
        )

    def remove(self) -> None:
        """Drop what a lab made, the marker last: it names what is left if this is cut off.

        Raises:
            Problem: as `connection`.
        """
        if MARKER in self.relations():
            marked = sorted(self._marked())
            drops = [f"DROP TABLE IF EXISTS {name}" for name in marked]
            if WORK_TABLE in marked:
                drops.append(f"DROP FUNCTION IF EXISTS {WORK_FUNCTION}")
            self.execute(*drops, f"DROP TABLE {MARKER}")


def index_statement(table: Table, index: Index) -> str:
    """CREATE INDEX."""
    unique = "UNIQUE " if index.unique else ""
    name = "_".join([table.name, *index.columns])
    return f"CREATE {unique}INDEX {name} ON {table.name} ({', '.join(index.columns)})"


def comparable_row(kinds: Mapping[str, ColumnKind], names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """A driver's row as the lab compares rows: times as RFC 3339 in UTC, JSON decoded where it is JSON."""
    return {name: _comparable(kinds[name], value) for name, value in zip(names, values, strict=True)}


def _comparable(kind: ColumnKind, value: Any) -> Any:
    if isinstance(value, datetime):
        moment = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return f"{moment.isoformat()}Z"
    if kind == "json" and isinstance(value, bytes | str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
