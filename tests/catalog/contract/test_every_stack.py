"""The clauses of every stack: a stack that holds them all, and one for each way to break one."""

import gzip
from collections.abc import Callable, Sequence

import httpx
import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract import connection
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status
from fairtrial.catalog.contract.every_stack import ANY_SERVER, EVERY_STACK, EVIDENCE_CHARACTERS, try_contract
from fairtrial.catalog.tables import Data
from fairtrial.experiment.ready import ANSWERED, Ready
from fairtrial.record.model import Clause
from tests.catalog.contract.scripted import Reply, answer, answering
from tests.waiting import PATIENCE_SECONDS

LOOPBACK = {("127.0.0.1", 8000)}
NAMES = ["health", "unknown-path", "keep-alive", "close", "listens-on-host"]


def honest(line: str, headers: str) -> Sequence[bytes]:
    """A stack that does what every stack must, and nothing else."""
    status = 200 if line.startswith("GET /health ") else 404
    if "connection: close" in headers.lower():
        return [answer(status, b"bye", "Connection: close"), b""]
    return [answer(status, b"here")]


def contract_of(
    reply: Reply = honest, clauses: Sequence[ClauseTest] = (), listening: set[tuple[str, int]] | None = LOOPBACK
) -> dict[str, Clause]:
    with answering(reply) as url:
        return {clause.name: clause for clause in try_contract(url, EVERY_STACK, clauses, Data(), None, listening)}


def violations_in(clauses: dict[str, Clause]) -> dict[str, str]:
    return {name: clause.evidence for name, clause in clauses.items() if not clause.passed}


def test_a_stack_that_keeps_the_contract() -> None:
    clauses = contract_of()
    assert list(clauses) == NAMES == [test.name for test in EVERY_STACK]
    assert violations_in(clauses) == {}
    assert {clause.evidence for clause in clauses.values()} == {""}
    assert all(clause.requirement for clause in clauses.values())


def test_a_workload_file_asks_neither_for_health_nor_for_unknown_paths() -> None:
    asked: list[str] = []

    def only_up(line: str, headers: str) -> Sequence[bytes]:
        asked.append(line.split()[1])
        return honest(line.replace("/up ", "/health "), headers)

    for ready, path in ((Ready(path="/up"), "/up"), (Ready(tcp=True), "/"), (ANSWERED, "/")):
        asked.clear()
        with answering(only_up) as url:
            clauses = list(try_contract(url, ANY_SERVER, (), Data(), None, LOOPBACK, ready=ready))
        assert [clause.name for clause in clauses] == NAMES[3:] and all(clause.passed for clause in clauses)
        assert asked == [path]


def test_a_server_of_a_workload_file_may_close_each_connection() -> None:
    """As gunicorn's synchronous workers do."""
    with answering(hangs_up) as url:
        clauses = list(try_contract(url, ANY_SERVER, (), Data(), None, LOOPBACK, ready=Ready(path="/health")))
    assert all(clause.passed for clause in clauses)


def unhealthy(line: str, headers: str) -> Sequence[bytes]:
    return [piece.replace(b" 200 ", b" 503 ") for piece in honest(line, headers)]


def anything(_line: str, headers: str) -> Sequence[bytes]:
    return honest("GET /health ", headers)


def hangs_up(line: str, headers: str) -> Sequence[bytes]:
    return honest(line, f"{headers}\r\nConnection: close")


def stays(line: str, _headers: str) -> Sequence[bytes]:
    return honest(line, "")


def upgrades(line: str, headers: str) -> Sequence[bytes]:
    """Its Connection header says something else, and tries to talk to the terminal."""
    if "connection: close" in headers.lower():
        return [answer(200, b"", "Connection: upg\u202erade"), b""]
    return honest(line, headers)


def hangs_up_in_silence(line: str, _headers: str) -> Sequence[bytes]:
    """Closes after each answer and does not say so, as servers of HTTP/1.0 do."""
    return [*honest(line, ""), b""]


def hangs_up_when_asked(line: str, headers: str) -> Sequence[bytes]:
    """Closes where that was asked for, and says nothing of it."""
    return [*honest(line, ""), *([b""] if "connection: close" in headers.lower() else [])]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However late the server here has a processor in which it closes."""
    monkeypatch.setattr(connection, "CLOSED_WITHIN_SECONDS", PATIENCE_SECONDS)


@pytest.mark.usefixtures("patient")
def test_a_server_that_closes_when_it_is_asked_need_not_say_so() -> None:
    assert violations_in(contract_of(hangs_up_when_asked)) == {}


@pytest.mark.usefixtures("patient")
def test_a_server_that_closes_unasked_and_in_silence_is_found_at_its_connection(snapshot: object) -> None:
    violations = violations_in(contract_of(hangs_up_in_silence))
    assert violations["keep-alive"] == snapshot
    assert "close" not in violations


@pytest.mark.parametrize(
    ("reply", "clause", "evidence"),
    [
        (unhealthy, "health", "status 503"),
        (anything, "unknown-path", "status 200"),
        (hangs_up, "keep-alive", "Connection: close"),
        (stays, "close", "missing"),
        (upgrades, "close", "upg"),
    ],
)
def test_a_stack_that_breaks_a_clause(reply: Reply, clause: str, evidence: str) -> None:
    violations = violations_in(contract_of(reply))
    assert list(violations) == [clause]
    assert evidence in violations[clause]
    assert violations[clause].isprintable()


def test_a_stack_that_listens_elsewhere_as_well() -> None:
    violations = violations_in(contract_of(listening={*LOOPBACK, ("0.0.0.0", 9001), ("::1", 9000)}))
    assert list(violations) == ["listens-on-host"]
    assert "0.0.0.0:9001, ::1:9000" in violations["listens-on-host"]
    assert "127.0.0.1" not in violations["listens-on-host"]


def test_addresses_are_compared_as_addresses(snapshot: object) -> None:
    assert violations_in(contract_of(listening={("::ffff:127.0.0.1", 8000)})) == {}  # where a JVM listens
    everywhere = violations_in(contract_of(listening={("::ffff:0.0.0.0", 8000), ("::", 9000), ("::ffff:127.0.0.2", 1)}))
    assert everywhere["listens-on-host"] == snapshot


def test_a_stack_that_is_gone_breaks_all_but_where_it_listens(unused_port: int) -> None:
    clauses = list(try_contract(f"http://127.0.0.1:{unused_port}", EVERY_STACK, (), Data(), None, LOOPBACK))
    assert [clause.name for clause in clauses if clause.passed] == ["listens-on-host"]
    assert all(clause.evidence.startswith("no connection: ") for clause in clauses if not clause.passed)


def clause(violation: Callable[[StackUnderTest], str | None]) -> ClauseTest:
    return ClauseTest("mine", "it does what I say", violation)


def test_the_workload_s_clauses_come_after_those_of_every_stack() -> None:
    arguments = []

    def holds(stack: StackUnderTest) -> None:
        arguments.append((stack.data.tables, stack.options, stack.listening))

    clauses = contract_of(clauses=[clause(holds)])
    assert list(clauses) == [*NAMES, "mine"]
    assert clauses["mine"].requirement == "it does what I say"
    assert clauses["mine"].passed
    assert [(list(tables), options, listening) for tables, options, listening in arguments] == [([], None, LOOPBACK)]


def test_a_problem_is_evidence_and_the_next_clause_is_tried() -> None:
    def breaks(_stack: StackUnderTest) -> str | None:
        raise Problem("the body is not JSON")

    after = answers_status("after", "GET", "/health", 200)
    clauses = contract_of(clauses=[clause(breaks), after])
    assert violations_in(clauses) == {"mine": "the body is not JSON"}
    assert clauses["after"].passed


def test_evidence_is_as_long_as_the_lab_says_and_not_the_stack() -> None:
    violations = violations_in(contract_of(clauses=[clause(lambda _stack: "\x1b]0;" + "x" * 1_000_000)]))
    assert len(violations["mine"]) == EVIDENCE_CHARACTERS
    assert violations["mine"].startswith("\\x1b]0;x")


def under_test(status: int, requests: list[httpx.Request]) -> StackUnderTest:
    def handler(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(status, content=iter([b"body"]))

    client = httpx.Client(transport=httpx.MockTransport(handler), base_url="http://stack")
    return StackUnderTest(client, Data(), None, LOOPBACK)


def test_a_clause_of_one_status() -> None:
    requests: list[httpx.Request] = []
    test = answers_status("refuses", "PUT", "/survey", 413, content=b"{", headers={"content-type": "text/plain"})
    assert test.requirement == "PUT /survey answers 413"
    assert test.violation(under_test(413, requests)) is None
    assert test.violation(under_test(201, requests)) == "status 201"
    assert [(request.method, request.url.path) for request in requests] == [("PUT", "/survey")] * 2
    assert [(request.content, request.headers["content-type"]) for request in requests] == [(b"{", "text/plain")] * 2


def test_a_clause_of_one_status_in_other_words() -> None:
    assert answers_status("long", "POST", "/survey", 413, "too much is refused").requirement == "too much is refused"


@pytest.mark.parametrize(("paths", "expected"), [(["/health", "/health"], 1), (["/missing", "/health"], 0), ([], 0)])
def test_the_time_of_the_workload_s_first_answer_is_told_if_its_clause_holds(paths: list[str], expected: int) -> None:
    clauses = [answers_status(f"{number}", "GET", path, 200) for number, path in enumerate(paths)]
    told: list[float] = []
    with answering(honest) as url:
        list(try_contract(url, EVERY_STACK, clauses, Data(), None, LOOPBACK, on_first_answer=told.append))
    assert len(told) == expected
    assert all(0 < seconds < 10 for seconds in told)


def compresses(line: str, headers: str) -> Sequence[bytes]:
    """A stack that compresses for whoever asks for it, as many frameworks do by default."""
    if not line.startswith("GET /item "):
        return honest(line, headers)
    if "gzip" in headers.lower():
        return [answer(200, gzip.compress(b"{}"), "Content-Encoding: gzip")]
    return [answer(200, b"{}")]


def test_a_stack_that_compresses_on_request_is_asked_as_the_load_asks() -> None:
    """The clause reads JSON. Asked with httpx's own headers, the same stack breaks it."""

    def reads_json(stack: StackUnderTest) -> str | None:
        return None if ask(stack.client, "GET", "/item").json() == {} else "another value"

    clauses = contract_of(compresses, [clause(reads_json)])
    assert violations_in(clauses) == {}
    with (
        answering(compresses) as url,
        httpx.Client(base_url=url, trust_env=False) as left_to_itself,
        pytest.raises(Problem, match="not JSON"),
    ):
        reads_json(StackUnderTest(left_to_itself, Data(), None, LOOPBACK))


def test_where_nothing_is_known_of_its_processes_it_is_not_asked_where_it_listens() -> None:
    clauses = contract_of(listening=None)
    assert list(clauses) == NAMES[:-1]
    assert violations_in(clauses) == {}
