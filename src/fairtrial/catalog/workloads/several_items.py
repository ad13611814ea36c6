"""Workload `several-items`: in every request several selects by primary key, none of which depends on another.

A stack may send them one at a time, in one pipeline, or grouped with those of other requests: the answer is the same,
and the ledger shows how many statements it took.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status, unknown_id
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.exact_json import compact, exact_difference, exact_request, exact_violation, member
from fairtrial.catalog.workloads.model import FreshnessProbe, InBodies, ServerWorkload, Work
from fairtrial.catalog.workloads.random_item import items
from fairtrial.engine.plan import Request
from fairtrial.experiment.model import DatasetOptions

SEVERAL = "/items/several/{ids}"
ROWS = 10_000
REQUESTS = 64
"""How many different requests there are. They take turns."""

MOST_SELECTS = 100
TOO_MANY = ",".join(["1"] * (MOST_SELECTS + 1))
CHECK_REQUESTS = 3


class Options(Strict):
    """`[options]` of several-items."""

    selects: int = Field(8, ge=1, le=MOST_SELECTS, description="in each request")


def data(dataset: DatasetOptions, _options: Options) -> Data:
    """The table of items."""
    return items(dataset, ROWS)


def answers(data: Data, selects: int) -> dict[str, str]:
    """The paths that are requested, each with its answer.

    The ids lie at equal distances over the table, and the paths share no id as long as the table has enough rows, so
    that no row is read for two requests at once. A path names ids far apart, which no page of the table holds together.
    """
    described = data.generated.described
    first, last = described["first_id"], described["last_id"]
    count = REQUESTS * selects
    rows = data.generated.rows_at(sorted({first + (last - first) * part // count for part in range(count)}))
    paths = min(REQUESTS, len(rows))
    return {_path(selection): _body(selection) for selection in (rows[path::paths][:selects] for path in range(paths))}


def _path(rows: Sequence[dict[str, Any]]) -> str:
    return SEVERAL.format(ids=",".join(str(row["id"]) for row in rows))


def _body(rows: Sequence[dict[str, Any]]) -> str:
    members = [{"id": row["id"], "name": row["name"]} for row in rows]
    return compact(members)


def requests(data: Data, options: Options) -> list[Request]:
    """GET /items/several/IDS, each of the paths in turn."""
    return [exact_request("several-items", path, text) for path, text in answers(data, options.selects).items()]


def _rows_of(data: Data, paths: Sequence[str]) -> list[dict[str, Any]]:
    return data.generated.rows_at(sorted({int(number) for path in paths for number in _ids(path)}))


def _ids(path: str) -> list[str]:
    return path.rsplit("/", 1)[1].split(",")


def _is_exact(stack: StackUnderTest) -> str | None:
    expected = answers(stack.data, stack.options.selects)
    violations = (
        exact_violation(stack, SEVERAL, path, expected[path], is_one_of_several=True)
        for path in list(expected)[:CHECK_REQUESTS]
    )
    return next(filter(None, violations), None)


def _keeps_order(stack: StackUnderTest) -> str | None:
    last, first = stack.data.generated.described["last_id"], stack.data.generated.described["first_id"]
    (first_row, last_row) = stack.data.generated.rows_at([first, last])
    rows = [last_row, first_row, last_row]
    answer = ask(stack.client, "GET", _path(rows))
    return exact_difference(answer, _body(rows))


WORKLOAD = ServerWorkload(
    name="several-items",
    title="several rows by primary key, none of which depends on another",
    services=("postgresql",),
    rows=ROWS,
    options=Options,
    data=data,
    requests=requests,
    work=lambda options: Work(rows_read=float(options.selects)),
    work_in_tables=lambda options: {"rows_read.items": options.selects},
    freshness=FreshnessProbe(
        table="items",
        column="name",
        path=lambda _data, key: SEVERAL.format(ids=key),
        in_bodies=InBodies(rows=_rows_of, spelling=member("name")),
    ),
    clauses=(
        ClauseTest("several-items", "GET /items/several/IDS answers the rows with these ids, byte for byte", _is_exact),
        ClauseTest("several-items-order", "rows are answered in the order of the path, also one twice", _keeps_order),
        answers_status(
            "several-items-unknown",
            "GET",
            lambda: SEVERAL.format(ids=f"1,{unknown_id()}"),
            404,
            "if one of the rows does not exist, the answer is 404",
        ),
        answers_status("several-items-malformed", "GET", SEVERAL.format(ids="1,,2"), 400),
        answers_status("several-items-too-many", "GET", SEVERAL.format(ids=TOO_MANY), 400),
    ),
)
