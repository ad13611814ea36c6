"""Workload `random-item`: one row of many, drawn at random from the database on every request.

The row is that of a public comparison of four API stacks (2013): a name, an indexed UUID, a hash of name, UUID and
time, a paragraph of description that is stored but not part of the answer, and a time.
"""

import json
import uuid

from fairtrial.catalog.contract.answer import Answer, ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status
from fairtrial.catalog.tables import Data, GeneratedRows, Index, Table
from fairtrial.catalog.workloads.exact_json import compact
from fairtrial.catalog.workloads.model import FreshnessProbe, NoOptions, ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.dataset import DatasetSpec, describe, rows_by_id
from fairtrial.engine.plan import BodyRange, Expectation, JsonBody, Request, RowBody
from fairtrial.experiment.model import DatasetOptions

ANSWER_FIELDS = ("id", "uuid", "name", "hash_code", "created_at")
WHITE_SPACE_BYTES = 64
"""Room for a space after each colon and comma, or for a line per key: white space in JSON is free."""

PICKS = 5
"""An honest stack draws the same of a thousand rows or more five times at most once in 10^12 trials."""

SEGMENTS = 10_000
"""The comparison first drew one of this many segments of the documents, then a document in it."""

ROWS = 1_000_000


def items(options: DatasetOptions, rows: int, *further: Table) -> Data:
    """The table `items`, which other workloads use too, and further ones. The engine verifies answers against it."""
    dataset = describe(_spec(options, rows))
    table = Table(
        name="items",
        columns={
            "id": "key",
            "name": "text",
            "uuid": "text",
            "created_at": "time",
            "hash_code": "text",
            "description": "text",
            "segment": "integer",
        },
        rows=GeneratedRows(dataset),
        indexes=(Index(["uuid"], unique=True), Index(["segment"])),
    )
    return Data([table, *further], dataset)


def _spec(options: DatasetOptions, rows: int) -> DatasetSpec:
    return {
        "name": "items",
        "seed": options.seed,
        "rows": options.rows or rows,
        "gaps": options.gaps,
        "fields": [
            {"name": "id", "kind": "id"},
            {"name": "name", "kind": "words", "count": 3},
            {"name": "uuid", "kind": "uuid"},
            {
                "name": "created_at",
                "kind": "timestamp",
                "from": "2012-01-01T00:00:00Z",
                "span_seconds": 31_536_000,
            },
            {"name": "hash_code", "kind": "sha1", "of": ["name", "uuid", "created_at"]},
            {"name": "description", "kind": "text", "characters": 200},
            {"name": "segment", "kind": "modulo", "by": SEGMENTS},
        ],
    }


def data(dataset: DatasetOptions, _options: NoOptions) -> Data:
    """The table of items, against which the engine verifies answers."""
    return items(dataset, ROWS)


def requests(data: Data, _options: NoOptions) -> list[Request]:
    """GET /items/random; each answer is compared with the row that has its id."""
    lengths = [data.generated.described["fields"][name] for name in ANSWER_FIELDS]
    shortest = sum(length["min_bytes"] for length in lengths)
    longest = sum(length["max_bytes"] for length in lengths)
    frame = len(json.dumps(dict.fromkeys(ANSWER_FIELDS, ""), separators=(",", ":"))) - len('""')  # the id is a number
    expect = Expectation(
        status=[200],
        content_type="application/json",
        body_bytes=BodyRange(min=shortest + frame, max=longest + frame + WHITE_SPACE_BYTES),
        body=RowBody(fields=list(ANSWER_FIELDS)),
    )
    return [Request(name="random-item", path="/items/random", headers=[("accept", "application/json")], expect=expect)]


def _random_conforms(stack: StackUnderTest) -> str | None:
    return mismatch("/items/random", ask(stack.client, "GET", "/items/random"))


def _random_row_is_right(stack: StackUnderTest) -> str | None:
    answer = ask(stack.client, "GET", "/items/random")
    return mismatch("/items/random", answer) or _row_difference(stack, answer) or _too_much_beside(answer)


def _too_much_beside(answer: Answer) -> str | None:
    """Longer than the load may expect of any row: the engine looks at the length of each body."""
    item = answer.json()
    least = compact({name: item[name] for name in ANSWER_FIELDS})
    beside = len(answer.body) - len(least.encode())
    if beside <= WHITE_SPACE_BYTES:
        return None
    return (
        f"{beside:,} bytes of {len(answer.body):,} are white space, escapes or other members, and {WHITE_SPACE_BYTES} "
        "may be: indent less, or print it compact"
    )


def _random_varies(stack: StackUnderTest) -> str | None:
    if stack.data.generated.described["rows"] < 1000:
        return None
    bodies = {ask(stack.client, "GET", "/items/random").body for _ in range(PICKS)}
    return f"{PICKS} requests, {PICKS} times the same answer" if len(bodies) == 1 else None


def _uuid_finds_its_row(stack: StackUnderTest) -> str | None:
    row = rows_by_id(stack.data.generated.spec, [stack.data.generated.described["last_id"]])[0]
    answer = ask(stack.client, "GET", f"/items/{row['uuid']}")
    difference = mismatch("/items/{uuid}", answer)
    if difference or answer.status != 200:
        return difference or f"status {answer.status} for a row that exists"
    return _row_difference(stack, answer, row["id"])


def _row_difference(stack: StackUnderTest, answer: Answer, expected_id: int | None = None) -> str | None:
    item = answer.json()
    item_id = int(item["id"])  # to the schema, 7.0 is an integer as well
    described = stack.data.generated.described
    if expected_id is not None and item_id != expected_id:
        return f"requested id {expected_id}, got id {item_id}"
    in_range = described["first_id"] <= item_id <= described["last_id"]
    rows = stack.data.generated.rows_at([item_id]) if in_range else []
    if not rows:
        return f"id {item_id} is not in the dataset"
    for name in ANSWER_FIELDS:
        if item[name] != rows[0][name]:
            return f"id {item_id}: {name} is {item[name]!r:.80}, the dataset has {rows[0][name]!r}"
    return None


def _drawn_row_by_uuid(data: Data, _options: NoOptions) -> Request:
    """Without the name, which may change meanwhile."""
    (row,) = data.tables[0].rows.random_rows(1)
    values = {f"/{name}": json.dumps(row[name]) for name in ANSWER_FIELDS if name != "name"}
    expect = Expectation(status=[200], content_type="application/json", body=JsonBody(values=values), check_every=1)
    return Request(name="uuid-row", path=f"/items/{row['uuid']}", expect=expect)


def _row_that_changes(data: Data, key: int) -> Request:
    (request,) = requests(data, NoOptions())
    expect = request.expect.model_copy(update={"check_every": 1})
    return request.model_copy(update={"name": "uuid-changed", "path": _path(data, key), "expect": expect})


def _path(data: Data, key: int) -> str:
    return f"/items/{rows_by_id(data.generated.spec, [key])[0]['uuid']}"


WORKLOAD = ServerWorkload(
    name="random-item",
    title="one row of many, picked at random",
    services=("sqlite", "postgresql", "mariadb", "mongodb"),
    rows=ROWS,
    data=data,
    requests=requests,
    work=lambda _options: Work(reads=1.0, rows_read=1.0),
    work_in_tables=lambda _options: {
        "rows_read.items": 1.0,
        "table_reads": 1.0,
        "table_transactions": 1.0,
        "reads.items": 1.0,
    },
    freshness=FreshnessProbe(table="items", column="name", path=_path, spot_check=_row_that_changes),
    clauses=(
        ClauseTest(
            "random-conforms", "GET /items/random answers an Item, as openapi.yaml defines it", _random_conforms
        ),
        ClauseTest(
            "random-row", "the random item's fields are those of the dataset's row with its id", _random_row_is_right
        ),
        ClauseTest("random-varies", f"{PICKS} random items are not all the same", _random_varies),
        ClauseTest(
            "uuid-row", "GET /items/{uuid} answers the row with this UUID", _uuid_finds_its_row, _drawn_row_by_uuid
        ),
        answers_status(
            "uuid-unknown", "GET", lambda: f"/items/{uuid.uuid4()}", 404, "a UUID that no row has is answered 404"
        ),
        answers_status("uuid-malformed", "GET", "/items/not-a-uuid", 404),
    ),
)
