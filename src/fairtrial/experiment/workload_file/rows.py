"""The rows of a workload file: CSV with a header line, or JSONL with an object on each line."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of

LARGEST_FILE_BYTES = 256 << 20
LONGEST_CELL_CHARACTERS = 1 << 20
JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
JSONL = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class RowTable:
    """Rows as the engine takes them: `lines`, each a JSON object; or, where that is None, the JSONL file itself."""

    file: Path
    count: int
    lines: Sequence[str] | None

    def row(self, place: int) -> dict[str, Any]:
        """The row at a place, from 0. It is one that `count` counts."""
        return dict(json.loads(next(islice(self.every_line(), place, None))))

    def every_line(self) -> Iterator[str]:
        """Each row as a JSON object."""
        if self.lines is not None:
            yield from self.lines
            return
        with self.file.open(encoding="utf-8") as file:
            yield from (line for line in file if line.strip())


def read_rows(file: Path, columns: Mapping[str, str]) -> RowTable:
    """Read a file of rows, and hold it against the columns that are asked for.

    A column of a CSV is numbers if every cell of it is written as JSON writes numbers, otherwise texts.

    Args:
        file: `.csv`, `.jsonl` or `.ndjson`.
        columns: those that requests name, each with the key that does.

    Raises:
        Problem: the file cannot be read, holds no row, or a row lacks a column or holds neither a text, a number nor a
            boolean there; the reason names file and line.
    """
    kind = file.suffix.lower()
    if kind not in (".csv", *JSONL):
        raise Problem(f"{file}: neither a CSV nor a JSONL file", "name it .csv or .jsonl, as what it holds")
    text = _text_of(file)
    lines: list[str] | None = None
    if kind == ".csv":
        lines = _csv_lines(file, text, columns)
        count = len(lines)
    else:
        count = sum(1 for _ in _json_rows(file, text, columns))
    if count == 0:
        raise Problem(f"{file}: holds no row", "a CSV has a header line and rows below it; a JSONL an object on each")
    return RowTable(file, count, lines)


def _text_of(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST_FILE_BYTES:
            raise Problem(f"{file}: larger than {LARGEST_FILE_BYTES >> 20} MiB", "take fewer rows, or other columns")
        return file.read_text(encoding="utf-8-sig" if file.suffix.lower() == ".csv" else "utf-8")
    except OSError as error:
        raise Problem(f"{file}: cannot be read: {error.strerror}", "check `file` of the rows") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{file}: not UTF-8 text", "convert it, for example with iconv") from error


def _csv_lines(file: Path, text: str, columns: Mapping[str, str]) -> list[str]:
    """Each row as a JSON object of the columns that are asked for."""
    csv.field_size_limit(LONGEST_CELL_CHARACTERS)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[list[str]] = []
    try:
        names = next(reader, [])
        for row in reader:
            if row and len(row) != len(names):
                difference = f"{len(row)} cells, and the header line has {len(names)}"
                raise Problem(f"{file}: line {reader.line_num} has {difference}", "quote cells that hold commas")
            if row:
                rows.append(row)
    except csv.Error as error:
        raise Problem(f"{file}: line {reader.line_num}: {error}", "write it as CSV (RFC 4180)") from error
    if len(set(names)) < len(names):
        raise Problem(f"{file}: line 1: a column is there twice: {', '.join(names)}", "name each column once")
    for column, key in columns.items():
        if column not in names:
            raise _no_column(file, column, key, names)
    cells = {column: [row[names.index(column)] for row in rows] for column in columns}
    encoded = {
        column: values if all(map(JSON_NUMBER.fullmatch, values)) else [json.dumps(value) for value in values]
        for column, values in cells.items()
    }
    keys = {column: json.dumps(column) for column in columns}
    return [
        "{" + ", ".join(f"{keys[column]}: {encoded[column][place]}" for column in columns) + "}"
        for place in range(len(rows))
    ]


def _json_rows(file: Path, text: str, columns: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise Problem(f"{file}: line {number} is not JSON: {error}", "write one object on each line") from error
        if not isinstance(row, dict):
            raise Problem(f"{file}: line {number} is no object: {printable(line, 60)}", "write one on each line")
        for column, key in columns.items():
            if column not in row:
                raise _no_column(file, column, key, list(row), number)
            if not isinstance(row[column], str | int | float):
                raise Problem(
                    f"{file}: line {number}: {column} is {printable(json.dumps(row[column]), 60)}",
                    "what requests take is a text, a number or a boolean",
                )
        yield row


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _no_column(file: Path, column: str, key: str, names: Sequence[str], line: int | None = None) -> Problem:
    where = f"{file}" if line is None else f"{file}: line {line}"
    hint = instead_of(column, [printable(name, 60) for name in names]) or "; there are: none"
    return Problem(
        f"{where}: there is no column {column!r}, which {key} takes{hint}",
        "name one of these in {{row NAME COLUMN}}; a name holds no space",
    )


def line_of_row(file: Path, place: int) -> int:
    """The number of the line, from 1, on which the row at a place, from 0, begins. The file was read before."""
    if file.suffix.lower() != ".csv":
        lines = (number for number, line in enumerate(_text_of(file).split("\n"), 1) if line.strip())
        return next(islice(lines, place, None))
    reader = csv.reader(io.StringIO(_text_of(file), newline=""), strict=True)
    next(reader)
    last = reader.line_num
    for row in reader:
        if row:
            if place == 0:
                break
            place -= 1
        last = reader.line_num
    return last + 1
