"""Every service, while it loads tables: report progress, and verify what it holds afterwards."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.tables import Table

REPORT_EVERY_ROWS = 20_000
BLOCK_BYTES = 1 << 18


def reported_rows(table: Table, lines: Iterable[bytes], on_rows: RowsLoaded) -> Iterator[list[str]]:
    """The fields of each line of `table.rows.tsv()`, as text; calls `on_rows` every 20,000 rows."""
    for number, line in enumerate(lines, 1):
        yield line.decode().rstrip("\n").split("\t")
        if number % REPORT_EVERY_ROWS == 0:
            on_rows(table.name, number)


def reported_blocks(table: Table, stream: BinaryIO, on_rows: RowsLoaded) -> Iterator[bytes]:
    """The bytes of `table.rows.tsv()`, for a database that parses them itself; calls `on_rows` as `reported_rows`."""
    rows = reported = 0
    while block := stream.read(BLOCK_BYTES):
        yield block
        rows += block.count(b"\n")
        if rows - reported >= REPORT_EVERY_ROWS:
            reported = rows - rows % REPORT_EVERY_ROWS
            on_rows(table.name, reported)


def assert_loaded(table: Table, count: int, stored: Callable[[object], dict[str, Any] | None]) -> None:
    """Compare the number of rows, and a sample of them, with what was to be loaded.

    Args:
        count: the number of rows that the service reports.
        stored: gives the row with this key as the service holds it, in the form of `Rows.sample`, or None.

    Raises:
        Problem: they differ.
    """
    if count != table.rows.count:
        raise _not_as_generated(table, f"{count:,} rows instead of {table.rows.count:,}")
    for expected in table.rows.sample():
        key = expected[table.given_columns[0]]
        row = stored(key)
        if row != expected:
            raise _not_as_generated(table, f"the row of {key} is {row!r:.300} instead of {expected!r:.300}")


def _not_as_generated(table: Table, difference: str) -> Problem:
    return Problem(
        f"the loaded table {table.name} is not what was generated: {difference}",
        "this is a fault of Fairtrial: report it",
    )
