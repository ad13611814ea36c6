"""SQLite: the embedded default. A file, loaded once and kept; nothing runs."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from fairtrial.cache.once import forget, made_once
from fairtrial.engine.dataset import Dataset, row_stream, rows_by_id, spec_sha256
from fairtrial.problem import Problem
from fairtrial.services.model import RowsLoaded, Service
from fairtrial.workloads.model import Table

TYPES = {
    "key": "INTEGER PRIMARY KEY",
    "integer": "INTEGER NOT NULL",
    "text": "TEXT NOT NULL",
    "time": "TEXT NOT NULL",
}
FILE = "data.db"
REPORT_EVERY_ROWS = 20_000
SAMPLED_ROWS = 16
LAYOUT = 1
"""Raise it when the way a file is made changes: kept files are made again."""


class SqliteFile:
    """A dataset in a file; `url` is what stacks get as DATABASE_URL."""

    def __init__(self, table: Table, dataset: Dataset, on_rows: RowsLoaded) -> None:
        self._table, self._dataset, self._on_rows = table, dataset, on_rows
        self._open()

    def _open(self) -> None:
        self._folder = made_once(
            "datasets",
            f"sqlite-{self._dataset.spec['name']}",
            spec_sha256({**self._dataset.spec, "layout": LAYOUT}),
            lambda folder: _make(folder / FILE, self._table, self._dataset, self._on_rows),
        )
        self._file = self._folder / FILE
        self.url = f"sqlite:///{self._file}"
        self._as_loaded = self._state()

    def _state(self) -> tuple[int, int, int]:
        facts = self._file.stat()
        log = self._file.with_name(f"{FILE}-wal")
        return facts.st_size, facts.st_mtime_ns, log.stat().st_size if log.exists() else 0

    def altered(self) -> bool:
        """Whether the file or its write-ahead log changed since it was opened."""
        try:
            return self._state() != self._as_loaded
        except FileNotFoundError:
            return True

    def reset(self) -> None:
        """Make the file anew."""
        forget(self._folder)
        self._open()


@contextmanager
def up(table: Table, dataset: Dataset, on_rows: RowsLoaded) -> Iterator[SqliteFile]:
    """The dataset in a file.

    Raises:
        Problem: the file cannot be made, or does not hold what was loaded.
    """
    yield SqliteFile(table, dataset, on_rows)


def _make(path: Path, table: Table, dataset: Dataset, on_rows: RowsLoaded) -> None:
    columns = ", ".join(f"{name} {TYPES[kind]}" for name, kind in table.columns)
    slots = ", ".join("?" for _ in table.columns)
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            # Nothing is at stake while the file is made: it is complete or it is made again.
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            database.execute(f"CREATE TABLE {table.name} ({columns})")
            database.execute("BEGIN")
            database.executemany(f"INSERT INTO {table.name} VALUES ({slots})", _rows(dataset, on_rows))  # noqa: S608
            database.execute("COMMIT")
            for column in table.unique:
                database.execute(f"CREATE UNIQUE INDEX {table.name}_{column} ON {table.name} ({column})")
            database.execute("PRAGMA synchronous = FULL")
            database.execute("PRAGMA journal_mode = WAL")
            _verify(database, table, dataset)
    except sqlite3.Error as error:
        raise Problem(
            f"the dataset could not be loaded into {path}: {error}",
            "free space there, or set FAIRTRIAL_CACHE to another folder",
        ) from error


def _rows(dataset: Dataset, on_rows: RowsLoaded) -> Iterator[list[str]]:
    with row_stream(dataset.spec) as lines:
        for number, line in enumerate(lines, 1):
            yield line.decode().rstrip("\n").split("\t")
            if number % REPORT_EVERY_ROWS == 0:
                on_rows(number)


def _verify(database: sqlite3.Connection, table: Table, dataset: Dataset) -> None:
    """The number of rows and a sample of them, read back."""
    described = dataset.described
    (count,) = database.execute(f"SELECT count(*) FROM {table.name}").fetchone()  # noqa: S608
    names = [name for name, _ in table.columns]
    width = described["last_id"] - described["first_id"]
    starts = [described["first_id"] + width * part // SAMPLED_ROWS for part in range(SAMPLED_ROWS)]
    query = f"SELECT {', '.join(names)} FROM {table.name} WHERE id >= ? ORDER BY id LIMIT 1"  # noqa: S608
    sample = [database.execute(query, [start]).fetchone() for start in starts]
    right = rows_by_id(dataset.spec, [row[0] for row in sample])
    if count != described["rows"] or any(
        dict(zip(names, row, strict=True)) != row_right for row, row_right in zip(sample, right, strict=True)
    ):
        raise Problem("the loaded dataset is not what was generated", "this is a fault of Fairtrial: report it")


SERVICE = Service(name="sqlite", title="SQLite (embedded)", up=up)
