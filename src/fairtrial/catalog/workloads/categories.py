"""Workload `categories`: one list of 5,113 bytes, read from the database on every request.

The length is that of the list in a published comparison (2012) whose other contender answered 601 bytes of error page.
"""

import json
from functools import cache
from typing import Any

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data, LiteralRows, Table
from fairtrial.catalog.workloads.model import FreshnessProbe, NoOptions, ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import ExactBody, Expectation, Request
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
    """The categories; the last description is as long as the list's length needs it to be."""
    made = [
        (number, name, name.lower().replace(" & ", "-"), SENTENCE.format(name.lower()) + ".")
        for number, name in enumerate(NAMES, 1)
    ]
    spare = BODY_BYTES - len(_list(made))
    number, name, slug, description = made[-1]
    longer = (description[:-1] + " and care for it" * (spare // 16 + 1))[: len(description) - 1 + spare] + "."
    made[-1] = (number, name, slug, longer)
    return tuple(made)


def body() -> str:
    """The list as every stack has to answer it."""
    return _list(rows())


def _list(categories: Any) -> str:
    objects = [dict(zip(COLUMNS, row, strict=True)) for row in categories]
    return json.dumps(objects, separators=(",", ":"), ensure_ascii=False)


def table() -> Table:
    """The table `categories`, which other workloads use as well."""
    return Table(
        name="categories",
        columns={"id": "key", "name": "text", "slug": "text", "description": "text"},
        rows=LiteralRows(COLUMNS, rows()),
    )


def data(_options: DatasetOptions, _none: NoOptions) -> Data:
    """The categories."""
    return Data([table()])


def requests(_data: Data, _none: NoOptions) -> list[Request]:
    """GET /categories."""
    expect = Expectation(status=[200], content_type="application/json", body=ExactBody(text=body()))
    return [Request(name="categories", path=PATH, headers=[("accept", "application/json")], expect=expect)]


def _conforms(attempt: Attempt) -> str | None:
    return mismatch(PATH, ask(attempt.client, "GET", PATH))


def _is_the_list(attempt: Attempt) -> str | None:
    seen = ask(attempt.client, "GET", PATH).body
    if seen == body().encode():
        return None
    try:
        same = json.loads(seen) == json.loads(body())
    except ValueError:
        same = False
    written = "the right list, but not compact or with other keys first" if same else "another list"
    return f"{len(seen):,} bytes instead of {BODY_BYTES:,}: {written}"


WORKLOAD = ServerWorkload(
    name="categories",
    title="a list of 5,113 bytes",
    services=("sqlite", "postgresql", "mariadb", "mongodb"),
    data=data,
    requests=requests,
    work=lambda _none: Work(reads=1.0, rows_read=len(NAMES)),
    freshness=FreshnessProbe(table="categories", column="name", path=lambda _data, _key: PATH, during_load=False),
    clauses=(
        ClauseTest("categories-conform", "GET /categories answers Categories, as openapi.yaml has them", _conforms),
        ClauseTest("categories-exact", f"the list is compact JSON of {BODY_BYTES:,} bytes, by id", _is_the_list),
    ),
)
