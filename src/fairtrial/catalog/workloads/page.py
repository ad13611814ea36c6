"""Workload `page`: an HTML page of several queries and a fragment from a cache, as web applications serve them."""

from collections.abc import Sequence
from html import escape
from typing import Any

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data, GeneratedRows
from fairtrial.catalog.workloads import categories
from fairtrial.catalog.workloads.model import FreshnessProbe, NoOptions, ServerWorkload, Work
from fairtrial.catalog.workloads.random_item import items
from fairtrial.engine.plan import ExactBody, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

ROWS = 10_000
PAGES = 32
BEFORE = 10
MEDIA_TYPE = "text/html"


def data(options: DatasetOptions, _none: NoOptions) -> Data:
    """Items and categories."""
    table = items(options, ROWS)
    assert isinstance(table.rows, GeneratedRows)
    return Data([table, categories.table()], table.rows.dataset)


def fragment() -> str:
    """The list of categories, as it lies in the cache."""
    return "<ul>" + "".join(f"<li>{escape(name)}</li>" for _, name, _, _ in categories.rows()) + "</ul>"


def page(item: dict[str, Any], before: Sequence[dict[str, Any]]) -> str:
    """The page about an item; `before`: the items before it, the nearest first."""
    titles = "".join(f"<li>{escape(one['name'])}</li>" for one in before)
    return (
        '<!doctype html><html><head><meta charset="utf-8">'
        f"<title>{escape(item['name'])}</title></head><body><nav>{fragment()}</nav>"
        f"<h1>{escape(item['name'])}</h1><p>{item['uuid']}</p><p>{escape(item['description'])}</p>"
        f"<ol>{titles}</ol>"
        f"<footer>{len(categories.rows())} categories</footer></body></html>"
    )


def pages(data: Data) -> dict[int, str]:
    """The pages that are asked for, by the item's id: at equal distances over all items."""
    (table, _) = data.tables
    sample = [row["id"] for row in table.rows.sample()]
    last = data.generated.described["last_id"]
    wanted = sorted({number for number in sample if number > 2 * BEFORE})[:PAGES]
    found = {}
    for number in wanted:
        near = range(max(1, number - 4 * BEFORE), min(last, number) + 1)
        known = data.generated.rows_at(near)
        item = known.pop()
        found[number] = page(item, list(reversed(known))[:BEFORE])
    return found


def requests(data: Data, _none: NoOptions) -> list[Request]:
    """GET /pages/ID, the pages in turn."""
    return [
        Request(
            name=f"page-{number}",
            path=f"/pages/{number}",
            expect=Expectation(status=[200], content_type=MEDIA_TYPE, body=ExactBody(text=text)),
        )
        for number, text in pages(data).items()
    ]


def _is_right(attempt: Attempt) -> str | None:
    for number, right in pages(attempt.data).items():
        answer = ask(attempt.client, "GET", f"/pages/{number}")
        if answer.status != 200:
            return f"page {number}: status {answer.status}"
        if not answer.headers.get("content-type", "").startswith(MEDIA_TYPE):
            return f"content type {answer.headers.get('content-type')!r:.60}"
        if answer.body != right.encode():
            return f"page {number}: {_first_difference(answer.body.decode(errors='replace'), right)}"
    return None


def _first_difference(seen: str, right: str) -> str:
    place = next((at for at, (one, other) in enumerate(zip(seen, right, strict=False)) if one != other), len(right))
    return f"from character {place}: {seen[place : place + 40]!r} instead of {right[place : place + 40]!r}"


def _unknown(attempt: Attempt) -> str | None:
    status = ask(attempt.client, "GET", "/pages/999999999").status
    return None if status == 404 else f"status {status}"


WORKLOAD = ServerWorkload(
    name="page",
    title="an HTML page of several queries and a cached fragment",
    services=("postgresql", "mariadb"),
    cache=("redis", "memcached"),
    rows=ROWS,
    data=data,
    requests=requests,
    work=lambda _none: Work(reads=3.0, rows_read=1.0 + BEFORE),
    freshness=FreshnessProbe(table="items", column="name", path=lambda _data, key: f"/pages/{key}", during_load=False),
    clauses=(
        ClauseTest("page", "GET /pages/ID answers the page, byte for byte", _is_right),
        ClauseTest("page-unknown", "GET /pages/999999999 answers 404", _unknown),
    ),
)
