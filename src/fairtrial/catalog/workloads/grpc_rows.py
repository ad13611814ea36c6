"""Messages that differ by row or by a draw: each is encoded beforehand, in a column of the engine's rows."""

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.engine.grpc_plan import FieldPlan
from fairtrial.engine.plan import GivenRows, Pick
from fairtrial.experiment.workload_file.placeholders import (
    Placeholder,
    Scalar,
    TemplateWriter,
    parts_of,
    placeholders_in,
    spelled,
)
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.texts import json_strings

MOST_ROWS = 16_384
"""Of each a message is encoded, which takes about 0.1 ms."""

OF_DRAWS = "/drawn"
"""Ends the name of rows that are numbers to draw, and of no table of a file."""

Cells = Mapping[Placeholder, Scalar]
"""What stands in the place of each placeholder but for environment variables."""


@dataclass(frozen=True)
class Variation:
    """The rows of which a message takes one, as the engine names them, with what each puts into the message."""

    table: str
    cells: Sequence[Cells]


def drawn_table(key: str) -> str:
    """The rows of which the message of a request takes one where it draws a number: of `requests.look`."""
    return f"{key}{OF_DRAWS}"


def variation(source: WorkloadSource, key: str, messages: Iterable[Mapping[str, Any]]) -> Variation | None:
    """By what the messages of a call differ, the sent and the expected one; None: they do not.

    Args:
        key: the call's in the file.

    Raises:
        Problem: by more than one table or draw, or by too many rows.
    """
    where = f"{source.prefix}{key}.grpc.message"
    varying = [each for message in messages for each in _placeholders(message) if each.name != "env"]
    tables = {each.arguments[0] for each in varying if each.name == "row"}
    draws = [each for each in varying if each.name != "row"]
    if len(tables) + len(draws) > 1:
        raise Problem(f"{where}: it differs by several draws or tables", "take what differs of one table's rows")
    if draws:
        (draw,) = draws
        first, last = (1, int(draw.arguments[0])) if draw.name == "zipf" else map(int, draw.arguments)
        _assert_few(last - first + 1, where, str(draw))
        return Variation(drawn_table(key), [{draw: number} for number in range(first, last + 1)])
    for table in tables:
        _assert_few(source.rows[table].count, where, f"rows.{table}")
        rows = map(json.loads, source.rows[table].every_line())
        return Variation(table, [{each: row[each.arguments[1]] for each in varying} for row in rows])
    return None


def with_cells(value: Any, cells: Cells, key: str, writer: TemplateWriter) -> Any:
    """A message, or a part of it, with what its placeholders stand for.

    Numbers are written as texts, which ProtoJSON takes for numbers as well as for texts.

    Args:
        key: its own in the file, which messages name.

    Raises:
        Problem: an environment variable is not set.
    """
    if isinstance(value, dict):
        return {name: with_cells(each, cells, f"{key}.{name}", writer) for name, each in value.items()}
    if isinstance(value, list):
        return [with_cells(each, cells, key, writer) for each in value]
    if not isinstance(value, str):
        return value
    parts = parts_of(value)
    if len(parts) == 1 and isinstance(parts[0], Placeholder) and isinstance(cells.get(parts[0]), bool):
        return cells[parts[0]]
    return "".join(
        part if isinstance(part, str) else spelled(cells[part]) if part in cells else writer.plain(str(part), key)
        for part in parts
    )


def column(writer: TemplateWriter, table: str, name: str, values: Iterable[bytes]) -> str:
    """The engine's placeholder for a column that is added to a table, of bytes for each of its rows."""
    columns = writer.columns.setdefault(table, {})
    columns[name] = [base64.b64encode(value).decode() for value in values]
    return f"{{{{row {table} {name} base64}}}}"


def fields_by_row(
    plans: Sequence[Sequence[FieldPlan]], add_column: Callable[[str, Iterable[bytes]], str], at: str
) -> list[FieldPlan]:
    """The fields of all rows' messages as one plan, with columns for the values that differ.

    Args:
        plans: by row.
        add_column: adds a column of this name, and returns the engine's placeholder for it.
        at: the place in the message, with which the names of columns begin.

    Raises:
        ValueError: the messages of two rows have other fields.
    """
    first = plans[0]
    shape = [(field.name, len(field.values)) for field in first]
    if any([(field.name, len(field.values)) for field in plan] != shape for plan in plans):
        raise ValueError("rows differ in which fields it has")
    fields = []
    for number, field in enumerate(first):
        values: list[int | str | list[FieldPlan]] = []
        for place in range(len(field.values)):
            of_rows = [plan[number].values[place] for plan in plans]
            name = f"{at}.{field.name}.{place}"
            nested = [value for value in of_rows if isinstance(value, list)]
            if nested:
                values.append(fields_by_row(nested, add_column, name))
            elif all(value == of_rows[0] for value in of_rows):
                values.append(of_rows[0])
            else:
                values.append(add_column(name, map(_bytes, of_rows)))
        fields.append(field.model_copy(update={"values": values}))
    return fields


def drawn_rows(source: WorkloadSource, writer: TemplateWriter) -> dict[str, GivenRows]:
    """By name, the rows of numbers that messages draw, with the messages that were encoded of them."""
    tables = {}
    for name, entry in source.requests.items():
        table = drawn_table(f"requests.{name}")
        if entry.grpc is not None and table in writer.columns:
            placeholders = (each for message in entry.grpc.every_message for each in _placeholders(message))
            (draw,) = (each for each in placeholders if each.name != "env")
            exponent = float(draw.arguments[1]) if draw.name == "zipf" else None
            pick = Pick(kind="random" if exponent is None else "zipf", exponent=exponent)
            columns = writer.columns[table]
            lines = ("{}" for _ in next(iter(columns.values())))
            tables[table] = GivenRows(pick=pick, lines=with_columns(lines, columns))
    return tables


def with_columns(lines: Iterable[str], columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Rows as the engine takes them, JSON objects, each with its cells of further columns."""
    rows = []
    for line, cells in zip(lines, zip(*columns.values(), strict=True), strict=True):
        members = line.strip()[1:-1]
        more = json.dumps(dict(zip(columns, cells, strict=True)))[1:-1]
        rows.append(f"{{{members}, {more}}}" if members.strip() else f"{{{more}}}")
    return rows


def _placeholders(message: Mapping[str, Any]) -> Iterator[Placeholder]:
    for _, text in json_strings(message):
        yield from placeholders_in(text)


def _assert_few(count: int, where: str, of: str) -> None:
    if count > MOST_ROWS:
        raise Problem(
            f"{where}: {of}: {count:,} messages would be encoded beforehand", f"take {MOST_ROWS:,} of them at most"
        )


def _bytes(value: int | str | list[FieldPlan]) -> bytes:
    """As a cell holds it: bits of numbers from the lowest byte on."""
    assert not isinstance(value, list)
    return value.to_bytes(8, "little") if isinstance(value, int) else base64.b64decode(value)
