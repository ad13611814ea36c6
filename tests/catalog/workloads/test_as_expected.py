"""The clauses of a workload file: the engine sends each request once, and says what came instead."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fairtrial.catalog.contract.every_stack import ANY_SERVER, try_contract
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.from_file import workload_from_file
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial.record.model import Clause
from tests.catalog.contract.scripted import answer, answering
from tests.experiment.workload_file.files import shop
from tests.tools.load.grpc_servers import PROTO
from tests.tools.load.grpc_servers import shop as grpc_shop

FILE = """
ready = { path = "/up" }
defaults = { headers = { x-key = "{{env KEY}}" }, expect = { status = 200, type = "application/json" } }
rows.users = { file = "items.csv", pick = "once" }
[requests.look]
get = "/items/{{row users id}}"
expect = { json = { "/id" = "{{row users id}}" }, bytes = [1, 99] }
[requests.again]
get = "/more/{{row users id}}?key={{env KEY}}"
expect.text = "fine"
"""
SCHEMA = r"""
[requests.look]
get = "/items/1"
expect = { schema = "item.schema.json", matches = { "/price" = '^\d+\.\d\d$' } }
"""
JSON = "Content-Type: application/json; charset=utf-8"
LOOPBACK = {("127.0.0.1", 1)}


def clauses_of(
    folder: Path,
    look: bytes,
    asked: list[str] | None = None,
    file: str = FILE,
    on_first_answer: Callable[[float], None] = lambda _seconds: None,
) -> dict[str, Clause]:
    """The clauses of a server that answers `look` with these bytes, and all else as expected."""

    def reply(line: str, headers: str) -> Sequence[bytes]:
        (asked if asked is not None else []).append(line)
        if line.startswith("GET /items"):
            return [look]
        body = b"fine" if line.startswith("GET /more") else b""
        closes = "connection: close" in headers.lower()
        return [answer(200, body, JSON, *(["Connection: close"] if closes else [])), *([b""] if closes else [])]

    workload = workload_from_file(read_workload_file(shop(folder, file)), {"KEY": "s3cret/x"})
    with answering(reply) as url:
        tried = try_contract(
            url,
            ANY_SERVER,
            workload.clauses,
            Data(),
            None,
            LOOPBACK,
            ready=workload.ready,
            on_first_answer=on_first_answer,
        )
        return {clause.name: clause for clause in tried}


def test_a_server_that_answers_as_expected_holds_all_clauses(tmp_path: Path, engine: Path) -> None:
    asked: list[str] = []
    clauses = clauses_of(tmp_path, answer(200, b'{"id": 7.0, "more": 1}', JSON), asked)
    assert list(clauses) == ["close", "listens-on-host", "look", "again"]
    assert {name: clause.evidence for name, clause in clauses.items() if not clause.passed} == {}
    assert asked == [
        "GET /up HTTP/1.1",
        "GET /items/7 HTTP/1.1",
        "GET /more/8?key=s3cret%2Fx HTTP/1.1",
    ]


@pytest.mark.parametrize(
    "look",
    [
        answer(404, b"no"),
        answer(200, b"{}", "Content-Type: text/html"),
        answer(200, b"{}" + b" " * 98, JSON),
        answer(200, b'{"id": "7"}', JSON),
        answer(200, b"[]", JSON),
        b"what?\r\n\r\n",
    ],
)
def test_what_came_instead_is_said(tmp_path: Path, engine: Path, look: bytes, snapshot: object) -> None:
    clause = clauses_of(tmp_path, look)["look"]
    assert not clause.passed and clause.evidence == snapshot


@pytest.mark.parametrize(
    ("look", "words"),
    [
        (answer(401, b"no", 'WWW-Authenticate: Basic realm="s3cret/x"'), "401: the server wants credentials"),
        (answer(301, b"", "Location: /i?key=s3cret/x"), "it points to /i?key={{env KEY}}, on the same host"),
        (b"", "new connections end before any answer"),
        (answer(200, b"[]", JSON), ""),
    ],
)
def test_what_helps_is_said_where_the_answer_tells(tmp_path: Path, engine: Path, look: bytes, words: str) -> None:
    clause = clauses_of(tmp_path, look)["look"]
    assert not clause.passed and (words in clause.remedy if words else clause.remedy == ""), clause
    assert "s3cret" not in clause.remedy


def test_evidence_quotes_no_secret(tmp_path: Path, engine: Path) -> None:
    body = json.dumps({"id": "your key is s3cret/x"}).encode()
    clause = clauses_of(tmp_path, answer(200, body, JSON))["look"]
    assert "s3cret" not in clause.evidence and clause.evidence.count("{{env KEY}}") == 2


@pytest.mark.parametrize(
    ("body", "evidence"),
    [
        ('{"price": 3.50, "tags": ["a", "b"], "more": 1}', ""),
        (
            '{"price": 3.5}',
            r'wrong_body, status 200, /price is "3.5", which does not match ^\d+\.\d\d$: {"price": 3.5}',
        ),
        ('{"price": "3.50", "tags": ["a", 7]}', 'wrong_body, status 200, /tags/1: 7 is not of type "string": {"price'),
    ],
)
def test_schemas_and_patterns(tmp_path: Path, engine: Path, body: str, evidence: str) -> None:
    (tmp_path / "item.schema.json").write_text('{"properties": {"tags": {"items": {"type": "string"}}}}')
    clause = clauses_of(tmp_path, answer(200, body.encode(), JSON), file=SCHEMA)["look"]
    assert clause.passed == (not evidence) and clause.evidence.startswith(evidence), clause.evidence


@pytest.mark.parametrize(("look", "expected"), [(b'{"id": 7}', 1), (b'{"id": 8}', 0)])
def test_the_time_of_the_first_answer_is_told_if_it_is_as_expected(
    tmp_path: Path, engine: Path, look: bytes, expected: int
) -> None:
    seconds: list[float] = []
    clauses_of(tmp_path, answer(200, look, JSON), on_first_answer=seconds.append)
    assert len(seconds) == expected
    assert all(0 < each < 10 for each in seconds)


@pytest.mark.parametrize(
    ("call", "evidence", "remedy"),
    [
        ("message = { id = 7 }", "", ""),
        ('message = { id = "{{uniform 7 7}}" }', "", ""),
        ("message = { id = 1 }", "not OK, but NOT_FOUND: no such item: 100 %, ü", "5: NOT_FOUND: nothing is there"),
        (
            'message = { id = 8 }, timeout = "100 ms"',
            "not OK, but DEADLINE_EXCEEDED",
            "4: DEADLINE_EXCEEDED: the answer was not there by `timeout`",
        ),
    ],
)
def test_a_call_that_ends_otherwise_says_how(
    tmp_path: Path, engine: Path, call: str, evidence: str, remedy: str
) -> None:
    (tmp_path / "shop.proto").write_text(PROTO)
    text = f'[requests.look]\ngrpc = {{ proto = "shop.proto", method = "shop.Shop/Look", {call} }}\n'
    workload = workload_from_file(read_workload_file(shop(tmp_path, text)))
    with grpc_shop() as url:
        tried = try_contract(url, workload.stack_clauses, workload.clauses, Data(), None, LOOPBACK, over="HTTP/2")
        look = {clause.name: clause for clause in tried}["look"]
    assert look.passed == (not evidence)
    assert look.evidence.startswith(evidence) and look.remedy.startswith(remedy)
