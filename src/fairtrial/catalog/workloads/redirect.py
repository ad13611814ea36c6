"""Workload `redirect`: a key is looked up in a key-value store and answered by a redirect, as URL shorteners do."""

from collections.abc import Callable

from fairtrial.catalog.contract.answer import Answer, ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, unknown_id
from fairtrial.catalog.tables import Data, GeneratedRows, Table
from fairtrial.catalog.workloads.model import FreshnessProbe, NoOptions, ServerWorkload, Work
from fairtrial.engine.dataset import describe, rows_by_id
from fairtrial.engine.plan import BodyRange, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

ROWS = 100_000
PREFIX = "https://example.com/"
ADDRESS_BYTES = len(PREFIX) + len("01234567-89ab-4cde-8f01-23456789abcd")
DEFAULT_ADDRESS = PREFIX
"""Where keys lead that are unknown or malformed."""


def data(dataset_options: DatasetOptions, _options: NoOptions) -> Data:
    """The addresses by number."""
    dataset = describe(
        {
            "name": "links",
            "seed": dataset_options.seed,
            "rows": dataset_options.rows or ROWS,
            "gaps": dataset_options.gaps,
            "fields": [{"name": "id", "kind": "id"}, {"name": "url", "kind": "link", "prefix": PREFIX}],
        }
    )
    table = Table(name="links", columns={"id": "key", "url": "text"}, rows=GeneratedRows(dataset), key_prefix="link:")
    return Data([table], dataset)


def requests(_data: Data, _options: NoOptions) -> list[Request]:
    """GET /links/N, with every existing N equally likely."""
    expect = Expectation(status=[301], location_field="url", body_bytes=BodyRange(min=0, max=0))
    return [Request(name="redirect", path="/links/{{field id}}", template=True, expect=expect)]


def _known_key(stack: StackUnderTest) -> str | None:
    number = stack.data.generated.described["last_id"]
    address = rows_by_id(stack.data.generated.spec, [number])[0]["url"]
    return _difference(ask(stack.client, "GET", f"/links/{number}"), 301, address)


def _other_key(name: str, which: str, key: Callable[[], object]) -> ClauseTest:
    def violation(stack: StackUnderTest) -> str | None:
        return _difference(ask(stack.client, "GET", f"/links/{key()}"), 302, DEFAULT_ADDRESS)

    return ClauseTest(name, f"GET /links/{which} answers 302 to {DEFAULT_ADDRESS}", violation)


def _difference(answer: Answer, status: int, address: str) -> str | None:
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
    # Only keys that exist are asked for, and an answer takes at least the value's own bytes.
    work=lambda _options: Work(reads=1.0, rows_read=1.0, bytes_sent=ADDRESS_BYTES),
    keys_drawn_from="links",
    freshness=FreshnessProbe(table="links", column="url", path=lambda _data, key: f"/links/{key}"),
    clauses=(
        ClauseTest("known-key", "GET /links/N answers 301 to the address of N, without a body", _known_key),
        _other_key("unknown-key", "N, where there is no link N,", unknown_id),
        _other_key("malformed-key", "not-a-number", lambda: "not-a-number"),
    ),
)
