"""Tables: the rows that a service holds before a trial begins, whatever kind of database it is."""

import hashlib
import io
import json
import random
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

from fairtrial.engine.dataset import Dataset, row_stream, spec_sha256

ColumnKind = Literal["key", "serial", "integer", "text", "time", "json"]
"""`key`: the primary key, given with the row; `serial`: the primary key, assigned by the database; `time`: a moment, in
rows written as RFC 3339 with `Z`. Each database has its own type for a kind; none is ever null."""

SAMPLED_ROWS = 16


class TableRows(Protocol):
    """The rows that a table holds before a trial."""

    @property
    def count(self) -> int:
        """The number of rows."""

    @property
    def sha256(self) -> str:
        """A digest of what decides the rows, as hex."""

    def tsv(self) -> AbstractContextManager[BinaryIO]:
        """Return a stream of all rows in id order, as tab-separated lines in the order of the columns.

        Rows are generated while they are read. No text holds a tab, a line feed or a backslash, so nothing is escaped.
        """

    def sample(self) -> list[dict[str, Any]]:
        """Return some rows, spread over all of them, by column name: numbers as int, everything else as text."""

    def random_rows(self, count: int) -> list[dict[str, Any]]:
        """Return so many rows, or all if there are fewer, as `sample` does.

        They are drawn from the system's randomness: no stack can know them before.
        """


@dataclass(frozen=True)
class GeneratedRows:
    """Rows that the engine generates: a pure function of (seed, id)."""

    dataset: Dataset

    @property
    def count(self) -> int:
        return self.dataset.described["rows"]

    @property
    def sha256(self) -> str:
        return spec_sha256(self.dataset.spec)

    def tsv(self) -> AbstractContextManager[BinaryIO]:
        return row_stream(self.dataset.spec)

    def sample(self) -> list[dict[str, Any]]:
        """Return rows with ids at equal distances, the first and the last among them; ids without a row are skipped."""
        first, last = self.dataset.described["first_id"], self.dataset.described["last_id"]
        ids = {first + (last - first) * part // (SAMPLED_ROWS - 1) for part in range(SAMPLED_ROWS)}
        return self.dataset.rows_at(sorted(ids))

    def random_rows(self, count: int) -> list[dict[str, Any]]:
        """Draw ids from the first to the last, as often as gaps make it necessary."""
        first, last = self.dataset.described["first_id"], self.dataset.described["last_id"]
        rows: dict[int, dict[str, Any]] = {}
        while len(rows) < min(count, self.count):
            ids = {first + secrets.randbelow(last - first + 1) for _ in range(2 * count)} - rows.keys()
            rows |= {row["id"]: row for row in self.dataset.rows_at(sorted(ids))}
        return random.SystemRandom().sample(list(rows.values()), min(count, len(rows)))


@dataclass(frozen=True)
class LiteralRows:
    """A few rows, written out. Texts hold no tab, line feed or backslash."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str | int]]

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps([list(self.columns), [list(row) for row in self.rows]]).encode()).hexdigest()

    @contextmanager
    def tsv(self) -> Iterator[BinaryIO]:
        yield io.BytesIO("".join("\t".join(map(str, row)) + "\n" for row in self.rows).encode())

    def sample(self) -> list[dict[str, Any]]:
        step = max(1, len(self.rows) // SAMPLED_ROWS)
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows[::step]]

    def random_rows(self, count: int) -> list[dict[str, Any]]:
        rows = random.SystemRandom().sample(list(self.rows), min(count, len(self.rows)))
        return [dict(zip(self.columns, row, strict=True)) for row in rows]


@dataclass(frozen=True)
class Index:
    """An index over columns, in this order."""

    columns: Sequence[str]
    unique: bool = False


@dataclass(frozen=True)
class Table:
    """A table of a relational database, a collection of a document database, or the keys of a key-value store."""

    name: str
    columns: Mapping[str, ColumnKind]
    """kinds by name, in the order in which `rows` give them; a `serial` column is not in the rows"""
    rows: TableRows
    indexes: Sequence[Index] = ()
    key_prefix: str = ""
    """in a key-value store, a row is the key `key_prefix` + first column, and its value the second column"""

    @property
    def given_columns(self) -> list[str]:
        """The columns whose values come with the rows."""
        return [name for name, kind in self.columns.items() if kind != "serial"]

    @property
    def sha256(self) -> str:
        """A digest of everything that decides what a service holds, as hex."""
        layout = [self.name, list(self.columns.items()), [(list(i.columns), i.unique) for i in self.indexes]]
        return hashlib.sha256(json.dumps([layout, self.key_prefix, self.rows.sha256]).encode()).hexdigest()


WORK_TABLE, WORK_FUNCTION = "work_rate", "work"


def work_table(share: float) -> Table:
    """The table by which the function `WORK_FUNCTION` works, which a SQL database is given together with it.

    The function takes a number of seconds. For each of them it does as many rounds of work as the one row says, and
    sleeps for as many thousandths. It reads the row anew each time. The lab sets the rounds by what the database does
    in a second.

    Args:
        share: of the time, in which it is to work.
    """
    columns: dict[str, ColumnKind] = {"id": "key", "rounds": "integer", "sleep_thousandths": "integer"}
    row = (1, 10_000, round(1_000 * (1 - share)))
    return Table(WORK_TABLE, columns, LiteralRows(list(columns), [row]))


def tables_sha256(tables: Sequence[Table], *further: object) -> str:
    """Return a digest of several tables and of `further` as JSON: a service's loaded data is cached under it."""
    return hashlib.sha256(json.dumps([[table.sha256 for table in tables], further]).encode()).hexdigest()


@dataclass(frozen=True)
class Data:
    """The data that a workload needs before a trial, under the options of an experiment."""

    tables: Sequence[Table] = ()
    dataset: Dataset | None = None
    """the rows against which the engine verifies answers, or from which it draws its requests"""
    files: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """by service, the user's files that it is loaded from in place of tables"""

    @property
    def generated(self) -> Dataset:
        """`dataset`, of a workload that has one."""
        assert self.dataset is not None, "this workload has no generated rows"
        return self.dataset
