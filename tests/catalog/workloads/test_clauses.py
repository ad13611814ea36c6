"""The clauses of each workload: an honest stack keeps them, and each fault breaks those that it should."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import workloads
from fairtrial.catalog.workloads.model import ServerWorkload
from tests.catalog.workloads.honest import HONEST, HTML, Reply, compact, data_of, instead, violations

Change = Callable[[Reply], Reply]
STREAM = "stream"
"""The workload whose clauses are about time: test_stream.py."""


def status(code: int) -> Change:
    return lambda reply: replace(reply, status=code)


def body(text: bytes) -> Change:
    return lambda reply: replace(reply, body=text)


def media_type(name: str) -> Change:
    return lambda reply: replace(reply, content_type=name)


def rewrite(change: Callable[[Any], bytes]) -> Change:
    """JSON bodies written anew by `change`; answers without a body are left alone."""
    return lambda reply: replace(reply, body=change(json.loads(reply.body))) if reply.body else reply


def member(name: str, value: Any) -> Change:
    """The same JSON object with one member changed."""
    return rewrite(lambda answer: compact(answer | {name: value}))


def first_two_swapped(answer: Any) -> bytes:
    """The right articles, the first two in the wrong order."""
    first, second, *others = answer["similar"]
    return compact(answer | {"similar": [second, first, *others]})


def first_millionth_added(answer: Any) -> bytes:
    """The right articles in the right order, the first with a similarity that is a millionth too high."""
    first, *others = answer["articles"]
    added = first | {"similarity_millionths": first["similarity_millionths"] + 1}
    return compact(answer | {"articles": [added, *others]})


def best_two_swapped(answer: Any) -> bytes:
    """A user's right articles, the first two in the wrong order."""
    first, second, *others = answer["articles"]
    return compact(answer | {"articles": [second, first, *others]})


indented = rewrite(lambda answer: json.dumps(answer, indent=16).encode())
spaced = rewrite(lambda answer: json.dumps(answer).encode())
swapped = rewrite(first_two_swapped)


ascending = rewrite(lambda rows: compact(sorted(rows, key=lambda row: row["id"])))
typo = rewrite(lambda rows: compact([row | {"name": "x"} for row in rows]))


def in_gap(reply: Reply) -> Reply:
    """A row that claims an id between two rows, which no row has."""
    generated = data_of("random-item").generated
    ids = {row["id"] for row in generated.rows_at(range(1, 100))}
    return member("id", min(set(range(min(ids), 100)) - ids))(reply)


@dataclass(frozen=True)
class Fault:
    """One wrong answer, the clauses that it breaks, and what the evidence says of it."""

    workload: str
    request: str
    change: Change
    clauses: str
    evidence: str


FAULTS = {
    "other text": Fault("plaintext", "GET .*", body(b"Hello, world!"), "plaintext", "Hello, world!"),
    "text as HTML": Fault("plaintext", "GET .*", media_type(HTML), "plaintext", "text/html"),
    "text failed": Fault("plaintext", "GET .*", status(500), "plaintext", "500"),
    "list with spaces": Fault("categories", "GET .*", spaced, "categories-exact", "not compact"),
    "another list": Fault(
        "categories", "GET .*", body(b"[{}]"), "categories-conform categories-exact", "4 bytes instead of 5,113"
    ),
    "list as text": Fault("categories", "GET .*", media_type("text/plain"), "categories-conform", "text/plain"),
    "list cut off": Fault(
        "categories", "GET .*", lambda r: body(r.body[:-1])(r), "categories-conform categories-exact", "another list"
    ),
    "list nested too deep": Fault(
        "categories", "GET .*", body(b"[" * 100_000), "categories-conform categories-exact", "not JSON"
    ),
    "page as text": Fault("page", r"GET .*", media_type("text/plain"), "page", "text/plain"),
    "page with a typo": Fault("page", r"GET .*", lambda r: body(r.body.replace(b"<h1>", b"<H1>"))(r), "page", "'H1>"),
    "page cut short": Fault("page", "GET .*", lambda r: body(r.body[:-7])(r), "page", "'' instead of '</html>'"),
    "page failed": Fault("page", "GET .*", status(500), "page page-unknown", "status 500"),
    "page for all": Fault("page", r"GET /pages/\d{9}", status(200), "page-unknown", "status 200"),
    "similar swapped": Fault("similar-items", "GET .*", swapped, "similar", ", not {"),
    "similar with spaces": Fault("similar-items", "GET .*", spaced, "similar", ", not {"),
    "similar for all": Fault("similar-items", r"GET /articles/\d{9}/.*", status(200), "similar-unknown", "200"),
    "article with a typo": Fault("matching-mix", "GET /articles/[0-9]+", member("name", "x"), "article", ', not {"id"'),
    "article refused": Fault("matching-mix", "GET /articles/2000", status(404), "article", "status 404"),
    "article for all": Fault("matching-mix", r"GET /articles/\d{9}", status(200), "article-unknown", "status 200"),
    "match swapped": Fault("matching-mix", "GET .*/similar", swapped, "similar", ", not {"),
    "match for all": Fault("matching-mix", r"GET /articles/\d{9}/.*", status(200), "similar-unknown", "200"),
    "user's best swapped": Fault(
        "matching-mix", "GET /users/.*", rewrite(best_two_swapped), "user-articles", ", not {"
    ),
    "user's similarity rounded up": Fault(
        "matching-mix", "GET /users/.*", rewrite(first_millionth_added), "user-articles", ", not {"
    ),
    "user refused": Fault("matching-mix", r"GET /users/\d{1,3}/.*", status(404), "user-articles", "status 404"),
    "any user": Fault("matching-mix", r"GET /users/\d{9}/.*", status(200), "user-unknown", "status 200"),
    "moved for a while": Fault("redirect", "GET /links/[0-9]{1,8}", status(302), "known-key", "status 302"),
    "moved elsewhere": Fault(
        "redirect", "GET .*[0-9]", lambda r: replace(r, location="/"), "known-key unknown-key", "Location is '/'"
    ),
    "moved with a body": Fault("redirect", "GET .*", body(b"moved"), "known-key unknown-key malformed-key", "5 bytes"),
    "moved nowhere": Fault("redirect", "GET .*/not-a-number", status(404), "malformed-key", "status 404"),
    "several in the order of ids": Fault("several-items", "GET .*", ascending, "several-items-order", ", not ["),
    "several with a typo": Fault("several-items", "GET .*", typo, "several-items several-items-order", ", not ["),
    "several for ever": Fault("several-items", "GET .*(,1){100}", status(200), "several-items-too-many", "status 200"),
    "some of several": Fault("several-items", r"GET .*,\d{9}", status(200), "several-items-unknown", "status 200"),
    "several of nothing": Fault("several-items", "GET .*,,.*", status(404), "several-items-malformed", "status 404"),
    "short with spaces": Fault("query-mix", "GET /queries/short", spaced, "short-query", "not compact"),
    "short is wrong": Fault("query-mix", "GET /queries/short", body(b'{"value":"1"}'), "short-query", "value"),
    "long with spaces": Fault("query-mix", "GET .*/200", spaced, "long-query", "not compact"),
    "long refused": Fault("query-mix", "GET .*/200", status(400), "long-query", "status 400"),
    "long for ever": Fault("query-mix", "GET .*/10001", status(200), "sleep-in-range", "[400, 200, 400]"),
    "chain without its short queries": Fault("query-chain", "GET .*/3", member("sum", 0), "query-chain", '"sum":3'),
    "chain never alone": Fault("query-chain", "GET .*/0", status(400), "query-chain-alone", "status 400"),
    "chain for ever": Fault("query-chain", "GET .*/1001", status(200), "query-chain-in-range", "'1/1001': 200"),
    "upstream's size is wrong": Fault("fan-out", "GET .*", member("bytes", 511), "fan-out", '"bytes":511'),
    "upstream failed": Fault("fan-out", "GET .*", status(502), "fan-out", "status 502"),
    "fan-out not found": Fault("fan-out", "GET .*", status(404), "fan-out", "status 404"),
    "count is text": Fault("transaction-mix", "POST .*/light", member("units", "9"), "light", "units"),
    "count is not JSON": Fault("transaction-mix", "POST .*/heavy", body(b"9 units"), "heavy", "not JSON"),
    "nothing is stored": Fault("transaction-mix", "POST .*/light", member("units", 7), "light", "adds 0 units, not 1"),
    "weight refused": Fault("transaction-mix", "POST .*/moderate", status(404), "moderate", "status 404"),
    "any weight": Fault("transaction-mix", "POST .*/unbearable", status(200), "unknown-weight", "status 200"),
    "stored with 200": Fault("survey-insert", "POST /survey/check/1", status(200), "post-survey", "status 200"),
    "stored with a body": Fault("survey-insert", "PUT .*", body(b"ok"), "put-survey", "a body of 2 bytes"),
    "batch refused": Fault("survey-insert", "POST /surveybatched/.*", status(400), "post-surveybatched", "400"),
    "anything is stored": Fault(
        "survey-insert", "POST /survey/check/2", status(201), "not-json not-an-object too-long", "status 201"
    ),
    "row altered": Fault("random-item", "GET /items/random", member("name", "x"), "random-row", "name is 'x'"),
    "row indented too deep": Fault("random-item", "GET /items/random", indented, "random-row", "indent less"),
    "row not in the dataset": Fault(
        "random-item", "GET /items/random", member("id", 999_999), "random-row", "id 999999 is not in the dataset"
    ),
    "row in a gap": Fault("random-item", "GET /items/random", in_gap, "random-row", "is not in the dataset"),
    "id with a fraction of zero": Fault(
        "random-item", "GET /items/random", member("id", 999_999.0), "random-row", "id 999999 is not in the dataset"
    ),
    "id as text": Fault("random-item", "GET /items/random", member("id", "7"), "random-conforms random-row", "/id"),
    "no row": Fault("random-item", "GET /items/random", status(404), "random-conforms random-row", "status 404"),
    "uuid not found": Fault("random-item", "GET /items/[0-9a-f-]{36}", status(404), "uuid-row", "status 404"),
    "uuid answers another": Fault("random-item", "GET /items/[0-9a-f-]{36}", member("id", 1), "uuid-row", "got id 1"),
    "any uuid": Fault("random-item", "GET /items/[0-9a-f-]{36}", status(200), "uuid-unknown", "status 200"),
    "any text": Fault("random-item", "GET /items/not-a-uuid", status(500), "uuid-malformed", "status 500"),
}


@pytest.fixture(scope="module")
def data(engine: Path) -> dict[str, Data]:
    assert engine
    return {name: data_of(name) for name in HONEST}


def test_every_server_workload_has_an_honest_stack() -> None:
    servers = [name for name, workload in workloads().items() if isinstance(workload, ServerWorkload)]
    assert sorted([*HONEST, STREAM]) == servers


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_stack_keeps_every_clause(name: str, data: dict[str, Data]) -> None:
    assert violations(name, HONEST[name](data[name]), data[name]) == {}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_breaks_its_clauses_and_no_other(name: str, data: dict[str, Data]) -> None:
    fault = FAULTS[name]
    of_workload = data[fault.workload]
    handler = instead(HONEST[fault.workload](of_workload), fault.request, fault.change)
    broken = violations(fault.workload, handler, of_workload)
    assert " ".join(broken) == fault.clauses
    assert any(fault.evidence in evidence for evidence in broken.values()), broken


def test_every_workload_s_clauses_are_broken_by_some_fault() -> None:
    """Two are missing from the list above: they are about answers over time, and have tests of their own. So have all
    of `stream`."""
    broken = {(fault.workload, clause) for fault in FAULTS.values() for clause in fault.clauses.split()}
    broken |= {("random-item", "random-varies"), ("fan-out", "fan-out-waits")}
    broken |= {("transaction-mix", "very-light"), ("transaction-mix", "very-heavy")}
    clauses = {
        (name, clause.name)
        for name, workload in workloads().items()
        if isinstance(workload, ServerWorkload) and name != STREAM
        for clause in workload.clauses
    }
    assert clauses - broken == set()


def test_a_stack_that_does_not_call_the_upstream_is_too_soon(data: dict[str, Data]) -> None:
    def at_once(_request: object) -> Reply:
        return Reply(200, b'{"status":200,"bytes":512}')

    (clause, evidence) = violations("fan-out", at_once, data["fan-out"]).popitem()
    assert clause == "fan-out-waits"
    assert "the upstream was not called" in evidence


def test_a_stack_whose_database_does_not_sleep_is_too_soon(data: dict[str, Data]) -> None:
    def at_once(request: Any) -> Reply:
        if request.url.path == "/queries/short":
            return Reply(200, b'{"value":1}')
        return Reply(200, b'{"slept":200}') if request.url.path.endswith("/200") else Reply(400)

    (clause, evidence) = violations("query-mix", at_once, data["query-mix"]).popitem()
    assert clause == "long-query"
    assert "did not sleep" in evidence


def test_a_chain_whose_database_does_not_sleep_is_too_soon(data: dict[str, Data]) -> None:
    chain = HONEST["query-chain"](data["query-chain"])

    def at_once(request: Any) -> Reply:
        return Reply(200, b'{"slept":100,"sum":3}') if request.url.path.endswith("/100/3") else chain(request)

    (clause, evidence) = violations("query-chain", at_once, data["query-chain"]).popitem()
    assert clause == "query-chain"
    assert "did not sleep" in evidence


def test_a_stack_that_answers_the_same_row_every_time(data: dict[str, Data]) -> None:
    stack = HONEST["random-item"](data["random-item"])
    first: dict[str, Reply] = {}

    def remember(reply: Reply) -> Reply:
        return first.setdefault("random", reply)

    broken = violations("random-item", instead(stack, "GET /items/random", remember), data["random-item"])
    assert list(broken) == ["random-varies"]


@pytest.mark.parametrize(("weight", "growth"), [("very-light", 1), ("moderate", 1), ("heavy", 2), ("very-heavy", 0)])
def test_a_unit_that_leaves_another_number_of_rows(weight: str, growth: int, data: dict[str, Data]) -> None:
    count = [0]

    def grow(reply: Reply) -> Reply:
        count[0] += growth
        return member("units", count[0])(reply)

    stack = instead(HONEST["transaction-mix"](data["transaction-mix"]), f"POST /units/{weight}", grow)
    (clause, evidence) = violations("transaction-mix", stack, data["transaction-mix"]).popitem()
    assert clause == weight
    assert f"adds {growth} units" in evidence
