"""Workload `redirect`: a key is looked up in a key-value store and answered as a redirect, as URL shorteners do."""

from fairtrial.catalog.contract.answer import Answer, ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data, GeneratedRows, Table
from fairtrial.catalog.workloads.model import FreshnessProbe, NoOptions, ServerWorkload, Work
from fairtrial.engine.dataset import describe, rows_by_id
from fairtrial.engine.plan import BodyRange, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

ROWS = 100_000
PREFIX = "https://example.com/"
ELSEWHERE = PREFIX


def data(options: DatasetOptions, _none: NoOptions) -> Data:
    """The addresses by number."""
    dataset = describe(
        {
            "name": "links",
            "seed": options.seed,
            "rows": options.rows or ROWS,
            "gaps": options.gaps,
            "fields": [{"name": "id", "kind": "id"}, {"name": "url", "kind": "link", "prefix": PREFIX}],
        }
    )
    table = Table(name="links", columns={"id": "key", "url": "text"}, rows=GeneratedRows(dataset), key_prefix="link:")
    return Data([table], dataset)


def requests(_data: Data, _none: NoOptions) -> list[Request]:
    """GET /links/N, each N that exists equally likely."""
    expect = Expectation(status=[301], location_field="url", body_bytes=BodyRange(min=0, max=0))
    return [Request(name="redirect", path="/links/{{field id}}", template=True, expect=expect)]


def _known_key(attempt: Attempt) -> str | None:
    wanted = attempt.data.generated.described["last_id"]
    address = rows_by_id(attempt.data.generated.spec, [wanted])[0]["url"]
    return _differs(ask(attempt.client, "GET", f"/links/{wanted}"), 301, address)


def _other_key(key: str) -> ClauseTest:
    def attempt(attempt: Attempt) -> str | None:
        return _differs(ask(attempt.client, "GET", f"/links/{key}"), 302, ELSEWHERE)

    name = "unknown-key" if key.isdigit() else "malformed-key"
    return ClauseTest(name, f"GET /links/{key} answers 302 to {ELSEWHERE}", attempt)


def _differs(answer: Answer, status: int, address: str) -> str | None:
    if answer.status != status:
        return f"status {answer.status}"
    if answer.headers.get("location") != address:
        return f"Location is {answer.headers.get('location')!r:.100}, not {address}"
    return f"a body of {len(answer.body)} bytes" if answer.body else None


WORKLOAD = ServerWorkload(
    name="redirect",
    title="a key looked up, and a redirect",
    services=("redis", "memcached"),
    rows=ROWS,
    data=data,
    requests=requests,
    work=lambda _none: Work(reads=1.0),
    freshness=FreshnessProbe(table="links", column="url", path=lambda _data, key: f"/links/{key}"),
    clauses=(
        ClauseTest("known-key", "GET /links/N answers 301 to the address behind N, without a body", _known_key),
        _other_key("999999999999"),
        _other_key("not-a-number"),
    ),
)
