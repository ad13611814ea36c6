"""What every service does while it loads tables: say how far it is, and prove what it holds afterwards."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.tables import Table

REPORT_EVERY_ROWS = 20_000
BLOCK_BYTES = 1 << 18


def reported_rows(table: Table, lines: Iterable[bytes], on_rows: RowsLoaded) -> Iterator[list[str]]:
    """The texts of each line of `table.rows.tsv()`, with a word to `on_rows` every now and then."""
    for number, line in enumerate(lines, 1):
        yield line.decode().rstrip("\n").split("\t")
        if number % REPORT_EVERY_ROWS == 0:
            on_rows(table.name, number)


def reported_blocks(table: Table, stream: BinaryIO, on_rows: RowsLoaded) -> Iterator[bytes]:
    """`table.rows.tsv()` as it comes, for a database that reads such lines itself; with words to `on_rows`."""
    rows = reported = 0
    while block := stream.read(BLOCK_BYTES):
        yield block
        rows += block.count(b"\n")
        if rows - reported >= REPORT_EVERY_ROWS:
            reported = rows - rows % REPORT_EVERY_ROWS
            on_rows(table.name, reported)


def assert_loaded(table: Table, count: int, stored: Callable[[object], dict[str, Any] | None]) -> None:
    """Hold the number of rows and a sample of them against what was to be loaded.

    Args:
        count: how many rows the service says it has.
        stored: the row with this key as the service has it, its columns as `Rows.sample` gives them, or None.

    Raises:
        Problem: they differ.
    """
    if count != table.rows.count:
        raise _fault(table, f"{count:,} rows instead of {table.rows.count:,}")
    for right in table.rows.sample():
        key = right[table.given_columns[0]]
        row = stored(key)
        if row != right:
            raise _fault(table, f"the row of {key} is {row!r:.300} instead of {right!r:.300}")


def _fault(table: Table, seen: str) -> Problem:
    return Problem(
        f"the loaded table {table.name} is not what was generated: {seen}", "this is a fault of Fairtrial: report it"
    )
