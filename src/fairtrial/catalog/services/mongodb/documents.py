"""Tables as collections: a row is a document, its key the `_id`. They are loaded over several connections at once."""

import json
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from bson import ObjectId
from pymongo.collection import Collection
from pymongo.database import Database

from fairtrial.catalog.services.common.loading import assert_loaded, reported_rows
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.tables import ColumnKind, Table

Document = dict[str, Any]

ID = "_id"
LOADERS = 2
"""The lab encodes documents while the server stores others: with two threads, neither waits."""

BATCH_ROWS = 2_000
PARSE: dict[ColumnKind, Callable[[str], Any]] = {
    "key": int,
    "integer": int,
    "text": str,
    "time": datetime.fromisoformat,
    "json": json.loads,
}


def fill(database: Database[Document], tables: Sequence[Table], on_rows: RowsLoaded) -> None:
    """Load the tables and their indexes, and verify them.

    Raises:
        Problem: what is stored is not what was to be loaded.
        PyMongoError: the server refused.
    """
    for table in tables:
        collection = database.create_collection(table.name)
        _load(collection, table, on_rows)
        for index in table.indexes:
            fields = [(_field(table, column), 1) for column in index.columns]
            collection.create_index(fields, unique=index.unique, name="_".join([table.name, *index.columns]))
        first = table.given_columns[0]

        def stored(key: object, table: Table = table, first: str = first) -> Document | None:
            document = database[table.name].find_one({_field(table, first): key})
            return None if document is None else _sampled(table, document)

        assert_loaded(table, collection.count_documents({}), stored)


def _load(collection: Collection[Document], table: Table, on_rows: RowsLoaded) -> None:
    fields = [(_field(table, name), PARSE[table.columns[name]]) for name in table.given_columns]

    def insert(rows: list[list[str]]) -> None:
        documents = [{name: parse(text) for (name, parse), text in zip(fields, row, strict=True)} for row in rows]
        collection.insert_many(documents, ordered=False)

    with ThreadPoolExecutor(LOADERS) as pool, table.rows.tsv() as lines:
        pending: deque[Future[None]] = deque()
        rows = reported_rows(table, lines, on_rows)
        while batch := list(islice(rows, BATCH_ROWS)):
            pending.append(pool.submit(insert, batch))
            if len(pending) > 2 * LOADERS:
                pending.popleft().result()
        for insertion in pending:
            insertion.result()


def as_row(table: Table, document: Document) -> Document:
    """A row in the form of `RunningService.rows`, from a document: its `_id` under the name of the key, times as text.

    Fields that the table does not have are kept.
    """
    key = next((name for name, kind in table.columns.items() if kind in ("key", "serial")), ID)
    return {key if name == ID else name: _plain(value) for name, value in document.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return str(value) if isinstance(value, ObjectId) else value


def _sampled(table: Table, document: Document) -> Document:
    """A row in the form of `Rows.sample`, from a document."""
    row = {name: value for name, value in as_row(table, document).items() if table.columns.get(name) != "serial"}
    for name, kind in table.columns.items():
        if kind == "json" and name in row:
            row[name] = json.dumps(row[name], separators=(",", ":"), ensure_ascii=False)
    return row


def _field(table: Table, column: str) -> str:
    return ID if table.columns[column] in ("key", "serial") else column
