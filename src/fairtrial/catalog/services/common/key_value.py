"""Tables in a key-value store: a row is a key, `key_prefix` + first column, and its value, the second column."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.loading import reported_rows
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.tables import ColumnKind, Table

BATCH_ROWS = 2_000
NUMBERS: frozenset[ColumnKind] = frozenset({"key", "serial", "integer"})


def assert_pairs(title: str, tables: Sequence[Table]) -> None:
    """Raise Problem unless each table consists of keys and values, and no two tables share a key prefix."""
    for table in tables:
        if len(table.columns) != 2 or "serial" in table.columns.values():
            raise Problem(
                f"table {table.name} does not fit {title}, which holds keys and values: it has the columns "
                f"{', '.join(table.columns)}",
                "choose another service for this workload",
            )
    prefixes = [table.key_prefix for table in tables]
    if len(set(prefixes)) != len(prefixes):
        raise Problem(
            f"the tables {', '.join(table.name for table in tables)} would share their keys in {title}",
            "give each table a key prefix of its own",
        )


def batches(table: Table, on_rows: RowsLoaded) -> Iterator[dict[bytes, bytes]]:
    """All rows of a table as keys and values, `BATCH_ROWS` at a time."""
    with table.rows.tsv() as lines:
        rows = reported_rows(table, lines, on_rows)
        while batch := {key_of(table, key): value.encode() for key, value in islice(rows, BATCH_ROWS)}:
            yield batch


def key_of(table: Table, key: object) -> bytes:
    """The key of the row whose first column is `key`."""
    return f"{table.key_prefix}{key}".encode()


def assert_value_column(table: Table, column: str) -> None:
    """Raise Problem unless this is the column that holds the table's values."""
    if column != list(table.columns)[1]:
        raise Problem(f"there are no values {table.name}.{column}")


def sampled_row(table: Table, key: object, value: bytes | None) -> dict[str, Any] | None:
    """A row in the form of `Rows.sample`, from its key and the value that the store holds; None if it holds none."""
    if value is None:
        return None
    (first, second), kinds = table.columns, list(table.columns.values())
    return {first: key, second: _number(kinds[1], value.decode(errors="replace"))}


def stored_row(table: Table, key: bytes, value: bytes) -> dict[str, Any]:
    """A row in the form of `RunningService.rows`, from a key and its value."""
    (first, second), kinds = table.columns, list(table.columns.values())
    text: Any = _number(kinds[1], value.decode(errors="replace"))
    if kinds[1] == "json":
        with suppress(ValueError):
            text = json.loads(text)
    return {first: _number(kinds[0], key.decode(errors="replace").removeprefix(table.key_prefix)), second: text}


def _number(kind: ColumnKind, text: str) -> str | int:
    if kind in NUMBERS:
        with suppress(ValueError):
            return int(text)
    return text
