"""SQLite: the embedded default. A file is loaded once and kept; each run gets a copy. No server runs."""

import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from fairtrial.base.cache.once import made_once
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.client import table_named
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.services.common.loading import assert_loaded, reported_rows
from fairtrial.catalog.services.common.server import copy_folder
from fairtrial.catalog.services.common.user_files import files_sha256, refused, text_of
from fairtrial.catalog.services.model import Change, Counters, Missing, RowsLoaded, Service, ServiceStart, SqlAccess
from fairtrial.catalog.tables import ColumnKind, Table, tables_sha256
from fairtrial.record.identity import ServiceIdentity

TYPES: dict[ColumnKind, str] = {
    "key": "INTEGER PRIMARY KEY",
    "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "integer": "INTEGER NOT NULL",
    "text": "TEXT NOT NULL",
    "time": "TEXT NOT NULL",
    "json": "TEXT NOT NULL",
}
FILE = "data.db"
STEPS_BETWEEN_LOOKS = 10_000
"""Of SQLite's virtual machine: well below a millisecond of them pass between two looks at the clock."""

LAYOUT = 2
"""Raise it when the way in which a file is made changes: kept files are made again."""


class SqliteFile:
    """A copy of the tables, in a file of this run."""

    pid = None

    def __init__(self, start: ServiceStart, folder: Path) -> None:
        self._start = start
        self._data = folder / "data"
        self._file = self._data / FILE
        self.url = f"sqlite:///{self._file}"
        self.identity = ServiceIdentity(
            name="sqlite",
            product=f"SQLite {sqlite3.sqlite_version} (the lab's; each stack brings its own)",
            where="embedded",
            settings={"journal_mode": "WAL", "synchronous": "FULL"},
        )
        self._take_copy()

    def _take_copy(self) -> None:
        start = self._start
        loaded = made_once(
            "datasets",
            "-".join(["sqlite", *start.contents]),
            tables_sha256(start.tables, "sqlite", LAYOUT, *([files_sha256(start.files)] if start.files else [])),
            lambda folder: _make(folder / FILE, start),
        )
        copy_folder(loaded, self._data)
        # Threads change rows, and another asks whether others changed any; never at the same time.
        self._one_at_a_time = threading.Lock()
        self._connection = sqlite3.connect(self._file, check_same_thread=False)
        self._inode, self._version_at_load = self._file.stat().st_ino, self._version()

    def _version(self) -> int:
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return int(version)

    def fault(self) -> str | None:
        """None: a file does not end."""
        return None

    def altered(self, rows: bool = True) -> str:
        """Whether any connection but the lab's committed a change, or another file is in its place."""
        try:
            if self._file.stat().st_ino != self._inode:
                return "another file is in its place"
            return "its content" if rows and self._version() != self._version_at_load else ""
        except (FileNotFoundError, sqlite3.Error):
            return "it cannot be read"

    def close(self) -> None:
        """Close the lab's connection."""
        self._connection.close()

    def reset(self) -> None:
        """Replace the file by a new copy."""
        self.close()
        shutil.rmtree(self._data, ignore_errors=True)
        self._take_copy()

    def counters(self) -> Counters:
        """Empty: SQLite counts within each process."""
        return {}

    def end_sessions(self) -> None:
        """Does nothing: nothing is counted."""

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All rows of a table."""
        with closing(sqlite3.connect(self._file)) as database:
            database.row_factory = sqlite3.Row
            for row in database.execute(f"SELECT * FROM {table_named(self._start.tables, table).name}"):  # noqa: S608
                yield dict(row)

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one column of one row."""
        with self.changing(table, column) as change:
            change(key, value)

    @contextmanager
    def changing(self, table: str, column: str, *, together: bool = False) -> Iterator[Change]:
        """To set that column of one row after the other, each in a transaction of its own or all in one.

        Two threads may do so at once; with `together`, only one.
        """
        statement = f"UPDATE {table_named(self._start.tables, table).name} SET {column} = ? WHERE id = ?"  # noqa: S608

        def change(key: int, value: str) -> None:
            with nullcontext() if together else self._one_at_a_time, nullcontext() if together else self._connection:
                self._connection.execute(statement, [value, key])

        with self._connection if together else nullcontext():
            yield change


@contextmanager
def _sqlite_file(start: ServiceStart) -> Iterator[SqliteFile]:
    """The tables, or what the user's SQL files make, in a file of this run, removed at the end.

    Raises:
        Problem: the file cannot be made or does not hold what was loaded, or SQLite refused what the user's say.
    """
    with run_folder("sqlite") as folder, closing(SqliteFile(start, folder)) as file:
        yield file


def _make(path: Path, start: ServiceStart) -> None:
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            # No durability is needed while the file is made: if that is cut off, it is made again.
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            for table in start.tables:
                _load(database, table, start.on_rows)
            for file in start.files:
                _run(database, file)
            database.execute("PRAGMA synchronous = FULL")
            database.execute("PRAGMA journal_mode = WAL")
    except sqlite3.Error as error:
        raise Problem(
            f"the dataset could not be loaded into {path}: {error}",
            "free space there, or set FAIRTRIAL_CACHE to another folder",
        ) from error


def _run(database: sqlite3.Connection, file: Path) -> None:
    statements = text_of(file)
    try:
        database.executescript(statements)
        if database.in_transaction:
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise refused("SQLite", file, str(error)) from None


def _load(database: sqlite3.Connection, table: Table, on_rows: RowsLoaded) -> None:
    columns = ", ".join(f"{name} {TYPES[kind]}" for name, kind in table.columns.items())
    slots = ", ".join("?" for _ in table.given_columns)
    into = f"{table.name} ({', '.join(table.given_columns)})"
    database.execute(f"CREATE TABLE {table.name} ({columns})")
    database.execute("BEGIN")
    with table.rows.tsv() as lines:
        database.executemany(f"INSERT INTO {into} VALUES ({slots})", reported_rows(table, lines, on_rows))  # noqa: S608
    database.execute("COMMIT")
    for index in table.indexes:
        unique = "UNIQUE " if index.unique else ""
        name, over = "_".join([table.name, *index.columns]), ", ".join(index.columns)
        database.execute(f"CREATE {unique}INDEX {name} ON {table.name} ({over})")
    (count,) = database.execute(f"SELECT count(*) FROM {table.name}").fetchone()  # noqa: S608
    names = table.given_columns
    query = f"SELECT {', '.join(names)} FROM {table.name} WHERE {names[0]} = ?"  # noqa: S608

    def stored(key: object) -> dict[str, Any] | None:
        row = database.execute(query, [key]).fetchone()
        return None if row is None else dict(zip(names, row, strict=True))

    assert_loaded(table, count, stored)


def missing() -> Missing | None:
    """None: SQLite is a part of Python."""
    return None


@contextmanager
def _opened(url: str, within_seconds: float) -> Iterator[sqlite3.Connection]:
    """The database at a stack's URL; what is done within ends in time.

    Raises:
        Problem: SQLite refused, or it took too long.
    """
    deadline = time.monotonic() + within_seconds
    try:
        path = url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, timeout=within_seconds, isolation_level=None)) as database:
            database.set_progress_handler(lambda: int(time.monotonic() > deadline), STEPS_BETWEEN_LOOKS)
            yield database
    except (sqlite3.Error, sqlite3.Warning) as error:
        reason = f"did not finish within {within_seconds:g} s" if time.monotonic() > deadline else f"refused: {error}"
        raise Problem(f"SQLite {printable(reason, 300)}", "try the SQL in sqlite3") from None


def _execute(url: str, statements: str, within_seconds: float) -> None:
    with _opened(url, within_seconds) as database:
        database.executescript(statements)


def _query(url: str, statement: str, within_seconds: float) -> Sequence[Sequence[Any]]:
    with _opened(url, within_seconds) as database:
        return database.execute(statement).fetchmany(2)


SERVICE = Service(
    name="sqlite",
    title="SQLite (embedded)",
    roles=("database",),
    start=_sqlite_file,
    loads_files=True,
    sql=SqlAccess(execute=_execute, query=_query),
    missing=missing,
    version=lambda: f"SQLite {sqlite3.sqlite_version}",
)
