"""Rows as CSV, as RFC 4180 has it but for its line ends: a line for each, below a line with the columns' names."""

import csv
import io
from collections.abc import Iterable

from pydantic import BaseModel


def csv_text(model: type[BaseModel], rows: Iterable[BaseModel]) -> str:
    """Rows of this model as CSV.

    Null is an empty cell, and the entries of a list are separated by spaces. Numbers have all their digits.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(model.model_fields)
    writer.writerows([_cell(value) for value in row.model_dump(mode="json").values()] for row in rows)
    return file.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(map(str, value))
    return repr(value) if isinstance(value, float) else value
