"""Rows as CSV, as RFC 4180 has it but for its line ends: a line for each, below a line with the columns' names."""

import csv
import io
from collections.abc import Iterable

from pydantic import BaseModel


def csv_text(model: type[BaseModel], rows: Iterable[BaseModel]) -> str:
    """Rows of this model as CSV; their cells are those of `csv_table`."""
    return csv_table(model.model_fields, (row.model_dump(mode="json").values() for row in rows))


def csv_table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Rows below the names of their columns as CSV.

    None is an empty cell, and the entries of a list are separated by spaces. Numbers have all their digits.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(_cell, row) for row in rows)
    return file.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return repr(value) if isinstance(value, float) else value
