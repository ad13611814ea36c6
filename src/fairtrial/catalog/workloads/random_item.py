"""Workload `random-item`: one row of many, picked at random by the database on every request.

The row is that of a public comparison of four API stacks (2013): a name, a UUID with an index, a hash code over name,
UUID and time, a paragraph of description that is stored but not answered, and a time.
"""

import json

from fairtrial.catalog.contract.answer import Answer, ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data, GeneratedRows, Index, Table
from fairtrial.catalog.workloads.model import FreshnessProbe, NoOptions, ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.dataset import DatasetSpec, describe, rows_by_id
from fairtrial.engine.plan import BodyRange, Expectation, Request, RowBody
from fairtrial.experiment.model import DatasetOptions

ANSWERED = ("id", "uuid", "name", "hash_code", "created_at")
WHITE_SPACE_BYTES = 64
"""Room for a space after each colon and comma, or a line for each key: white space in JSON is free."""

PICKS = 5
"""Five equal picks of five from a thousand rows or more happen to an honest stack once in 10^12 trials at most."""

ABSENT_UUID = "00000000-0000-4000-8000-000000000000"


SEGMENTS = 10_000
"""Parts of the documents, of which one is drawn before a document in it: as in the comparison."""


def items(options: DatasetOptions, rows: int) -> Table:
    """The table `items`, which other workloads use as well."""
    dataset = describe(_spec(options, rows))
    return Table(
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


ROWS = 1_000_000


def data(options: DatasetOptions, _none: NoOptions) -> Data:
    """The items; the engine proves each answered one."""
    table = items(options, ROWS)
    assert isinstance(table.rows, GeneratedRows)
    return Data([table], table.rows.dataset)


def requests(data: Data, _none: NoOptions) -> list[Request]:
    """GET /items/random; every answer is held against the row of its id."""
    lengths = [data.generated.described["fields"][name] for name in ANSWERED]
    shortest = sum(length["min_bytes"] for length in lengths)
    longest = sum(length["max_bytes"] for length in lengths)
    frame = len(json.dumps(dict.fromkeys(ANSWERED, ""), separators=(",", ":"))) - len('""')  # the id has no quotes
    expect = Expectation(
        status=[200],
        content_type="application/json",
        body_bytes=BodyRange(min=shortest + frame, max=longest + frame + WHITE_SPACE_BYTES),
        body=RowBody(fields=list(ANSWERED)),
    )
    return [Request(name="random-item", path="/items/random", headers=[("accept", "application/json")], expect=expect)]


def _random_conforms(attempt: Attempt) -> str | None:
    answer = ask(attempt.client, "GET", "/items/random")
    fault = mismatch("/items/random", answer)
    if fault is None:
        attempt.memory["item"] = json.loads(answer.body)
    return fault


def _random_row_is_right(attempt: Attempt) -> str | None:
    answer = ask(attempt.client, "GET", "/items/random")
    return mismatch("/items/random", answer) or _row_fault(attempt, answer)


def _random_varies(attempt: Attempt) -> str | None:
    if attempt.data.generated.described["rows"] < 1000:
        return None
    bodies = {ask(attempt.client, "GET", "/items/random").body for _ in range(PICKS)}
    return f"{PICKS} requests, {PICKS} times the same answer" if len(bodies) == 1 else None


def _uuid_finds_its_row(attempt: Attempt) -> str | None:
    wanted = rows_by_id(attempt.data.generated.spec, [attempt.data.generated.described["last_id"]])[0]
    answer = ask(attempt.client, "GET", f"/items/{wanted['uuid']}")
    fault = mismatch("/items/{uuid}", answer)
    if fault or answer.status != 200:
        return fault or f"status {answer.status} for a row that exists"
    return _row_fault(attempt, answer, wanted["id"])


def _absent(uuid: str) -> ClauseTest:
    def attempt(attempt: Attempt) -> str | None:
        status = ask(attempt.client, "GET", f"/items/{uuid}").status
        return None if status == 404 else f"status {status}"

    kind = "uuid-unknown" if uuid == ABSENT_UUID else "uuid-malformed"
    return ClauseTest(kind, f"GET /items/{uuid} answers 404", attempt)


def _row_fault(attempt: Attempt, answer: Answer, wanted_id: int | None = None) -> str | None:
    item = json.loads(answer.body)
    described = attempt.data.generated.described
    if wanted_id is not None and item["id"] != wanted_id:
        return f"asked for id {wanted_id}, got id {item['id']}"
    if not described["first_id"] <= item["id"] <= described["last_id"]:
        return f"id {item['id']} is not in the dataset"
    right = rows_by_id(attempt.data.generated.spec, [item["id"]])[0]
    for name in ANSWERED:
        if item[name] != right[name]:
            return f"id {item['id']}: {name} is {item[name]!r:.80}, the dataset has {right[name]!r}"
    return None


def _path(data: Data, key: int) -> str:
    return f"/items/{rows_by_id(data.generated.spec, [key])[0]['uuid']}"


WORKLOAD = ServerWorkload(
    name="random-item",
    title="one row of many, picked at random",
    services=("sqlite", "postgresql", "mariadb", "mongodb"),
    rows=ROWS,
    data=data,
    requests=requests,
    work=lambda _none: Work(reads=1.0, rows_read=1.0),
    freshness=FreshnessProbe(table="items", column="name", path=_path),
    clauses=(
        ClauseTest("random-conforms", "GET /items/random answers an Item, as openapi.yaml has it", _random_conforms),
        ClauseTest("random-row", "the random item's fields are those of its id in the dataset", _random_row_is_right),
        ClauseTest("random-varies", f"{PICKS} random items are not all the same", _random_varies),
        ClauseTest("uuid-row", "GET /items/{uuid} answers the row with this uuid", _uuid_finds_its_row),
        _absent(ABSENT_UUID),
        _absent("not-a-uuid"),
    ),
)
