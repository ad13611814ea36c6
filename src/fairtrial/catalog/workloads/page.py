"""Workload `page`: an HTML page made of several queries and a cached fragment, as web applications serve them."""

from collections.abc import Sequence
from html import escape
from typing import Any

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status, unknown_id
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import categories
from fairtrial.catalog.workloads.exact_json import exact_request
from fairtrial.catalog.workloads.model import FreshnessProbe, InBodies, NoOptions, ServerWorkload, Work
from fairtrial.catalog.workloads.random_item import items
from fairtrial.engine.plan import Request
from fairtrial.experiment.model import DatasetOptions

ROWS = 10_000
PAGES = 32
"""How many pages are requested, in turn."""

PRECEDING = 10
"""How many of the items before a page's own it lists."""

MEDIA_TYPE = "text/html"


def data(dataset: DatasetOptions, _options: NoOptions) -> Data:
    """The tables of items and categories."""
    return items(dataset, ROWS, categories.table())


def fragment() -> str:
    """The list of categories as HTML, which stacks keep in the cache."""
    return "<ul>" + "".join(f"<li>{escape(name)}</li>" for _, name, _, _ in categories.rows()) + "</ul>"


def page(item: dict[str, Any], preceding: Sequence[dict[str, Any]]) -> str:
    """The page about an item, with the items that precede it, nearest first."""
    titles = "".join(f"<li>{escape(other['name'])}</li>" for other in preceding)
    return (
        '<!doctype html><html><head><meta charset="utf-8">'
        f"<title>{escape(item['name'])}</title></head><body><nav>{fragment()}</nav>"
        f"<h1>{escape(item['name'])}</h1><p>{item['uuid']}</p><p>{escape(item['description'])}</p>"
        f"<ol>{titles}</ol>"
        f"<footer>{len(categories.rows())} categories</footer></body></html>"
    )


def pages(data: Data) -> dict[int, str]:
    """The pages that are requested, by their item's id. The items are spread evenly over the table."""
    (table, _) = data.tables
    sample = [row["id"] for row in table.rows.sample()]
    last_id = data.generated.described["last_id"]
    page_ids = sorted({item_id for item_id in sample if item_id > 2 * PRECEDING})[:PAGES]
    html_by_id = {}
    for item_id in page_ids:
        nearby_ids = range(max(1, item_id - 4 * PRECEDING), min(last_id, item_id) + 1)
        *others, item = data.generated.rows_at(nearby_ids)
        html_by_id[item_id] = page(item, list(reversed(others))[:PRECEDING])
    return html_by_id


def requests(data: Data, _options: NoOptions) -> list[Request]:
    """GET /pages/ID, for each of the pages in turn."""
    return [
        exact_request("page", f"/pages/{number}", text, content_type=MEDIA_TYPE) for number, text in pages(data).items()
    ]


def _rows_of(data: Data, paths: Sequence[str]) -> list[dict[str, Any]]:
    """The items of these pages, and of those before each the nearest, whichever ids have no row."""
    page_ids = [int(path.rsplit("/", 1)[1]) for path in paths]
    return data.generated.rows_at(
        sorted({near for number in page_ids for near in range(number - PRECEDING, number + 1)})
    )


def _is_exact(stack: StackUnderTest) -> str | None:
    for number, expected in pages(stack.data).items():
        answer = ask(stack.client, "GET", f"/pages/{number}")
        if answer.status != 200:
            return f"page {number}: status {answer.status}"
        if not answer.headers.get("content-type", "").startswith(MEDIA_TYPE):
            return f"content type {answer.headers.get('content-type')!r:.60}"
        if (compressed := answer.unasked_compression()) is not None:
            return compressed
        if answer.body != expected.encode():
            return f"page {number}: {_first_difference(answer.body.decode(errors='replace'), expected)}"
    return None


def _first_difference(actual: str, expected: str) -> str:
    differing = (at for at, pair in enumerate(zip(actual, expected, strict=False)) if pair[0] != pair[1])
    start = next(differing, min(len(actual), len(expected)))
    return f"from character {start}: {actual[start : start + 40]!r} instead of {expected[start : start + 40]!r}"


WORKLOAD = ServerWorkload(
    name="page",
    title="an HTML page of several queries and a cached fragment",
    services=("postgresql", "mariadb"),
    cache=("redis", "memcached"),
    rows=ROWS,
    data=data,
    requests=requests,
    work=lambda _options: Work(reads=3.0, rows_read=1.0 + PRECEDING),
    work_in_tables=lambda _options: {
        "table_reads": 3.0,
        "table_transactions": 1.0,
        "rows_read.items": 1.0 + PRECEDING,
        "rows_read.categories": len(categories.NAMES),  # the count looks at each
    },
    freshness=FreshnessProbe(
        table="items",
        column="name",
        path=lambda _data, key: f"/pages/{key}",
        in_bodies=InBodies(rows=_rows_of, spelling=lambda name: f">{escape(name)}<"),
    ),
    clauses=(
        ClauseTest("page", "GET /pages/ID answers the page, byte for byte", _is_exact),
        answers_status(
            "page-unknown", "GET", lambda: f"/pages/{unknown_id()}", 404, "a page that does not exist is answered 404"
        ),
    ),
)
