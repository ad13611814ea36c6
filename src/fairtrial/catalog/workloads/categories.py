"""Workload `categories`: one list of 5,113 bytes, read from the database on every request.

The length is that of the list in a published comparison (2012) whose other contender answered 601 bytes of error page.
"""

from functools import cache
from typing import Any

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.catalog.tables import Data, LiteralRows, Table
from fairtrial.catalog.workloads.exact_json import compact, exact_request, member, same_value
from fairtrial.catalog.workloads.model import FreshnessProbe, InBodies, NoOptions, ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import Request
from fairtrial.experiment.model import DatasetOptions

PATH = "/categories"
BODY_BYTES = 5113
COLUMNS = ("id", "name", "slug", "description")

NAMES = (
    "Antiques",
    "Art",
    "Audio",
    "Baby",
    "Bicycles",
    "Books",
    "Cameras",
    "Ceramics",
    "Clothing",
    "Coffee & Tea",
    "Coins",
    "Collectibles",
    "Computers",
    "Crafts",
    "Electronics",
    "Fishing",
    "Food",
    "Furniture",
    "Games",
    "Garden",
    "Health",
    "Hiking",
    "Home",
    "Jewellery",
    "Kitchen",
    "Lighting",
    "Luggage",
    "Maps",
    "Music",
    "Office",
    "Outdoor",
    "Pets",
)
SENTENCE = "Everything about {}, new and used, from sellers near and far, kept by people who know it"


@cache
def rows() -> tuple[tuple[int, str, str, str], ...]:
    """The categories. The last description is padded so that the list has exactly `BODY_BYTES` bytes."""
    categories = [
        (number, name, name.lower().replace(" & ", "-"), SENTENCE.format(name.lower()) + ".")
        for number, name in enumerate(NAMES, 1)
    ]
    spare = BODY_BYTES - len(_json(categories))
    number, name, slug, description = categories[-1]
    padded = (description[:-1] + " and care for it" * (spare // 16 + 1))[: len(description) - 1 + spare] + "."
    categories[-1] = (number, name, slug, padded)
    return tuple(categories)


def body() -> str:
    """The list, exactly as every stack has to answer it."""
    return _json(rows())


def _json(categories: Any) -> str:
    objects = [dict(zip(COLUMNS, row, strict=True)) for row in categories]
    return compact(objects)


def table() -> Table:
    """The table `categories`, which other workloads use too."""
    return Table(
        name="categories",
        columns={"id": "key", "name": "text", "slug": "text", "description": "text"},
        rows=LiteralRows(COLUMNS, rows()),
    )


def data(_dataset: DatasetOptions, _options: NoOptions) -> Data:
    """The table of categories."""
    return Data([table()])


def requests(_data: Data, _options: NoOptions) -> list[Request]:
    """GET /categories."""
    return [exact_request("categories", PATH, body(), headers=[("accept", "application/json")])]


def _conforms(stack: StackUnderTest) -> str | None:
    return mismatch(PATH, ask(stack.client, "GET", PATH))


def _is_exact(stack: StackUnderTest) -> str | None:
    answer = ask(stack.client, "GET", PATH)
    if answer.body == body().encode():
        return None
    return f"{len(answer.body):,} bytes instead of {BODY_BYTES:,}: {same_value(answer, body()) or 'another list'}"


WORKLOAD = ServerWorkload(
    name="categories",
    title="a list of 5,113 bytes",
    services=("sqlite", "postgresql", "mariadb", "mongodb"),
    data=data,
    requests=requests,
    work=lambda _options: Work(reads=1.0, rows_read=len(NAMES)),
    work_in_tables=lambda _options: {
        "rows_read.categories": len(NAMES),
        "table_reads": 1.0,
        "table_transactions": 1.0,
        "reads.categories": 1.0,
    },
    freshness=FreshnessProbe(
        table="categories",
        column="name",
        path=lambda _data, _key: PATH,
        in_bodies=InBodies(
            rows=lambda _data, _paths: [dict(zip(COLUMNS, row, strict=True)) for row in rows()],
            spelling=member("name"),
        ),
    ),
    clauses=(
        ClauseTest("categories-conform", "GET /categories answers Categories, as openapi.yaml defines them", _conforms),
        ClauseTest("categories-exact", f"the list is compact JSON of {BODY_BYTES:,} bytes, ordered by id", _is_exact),
    ),
)
