"""The clauses of every stack, and the test of a running stack against them and those of its workload."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import httpx

from fairtrial.base.loopback import is_address
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import client_of
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status
from fairtrial.catalog.contract.connection import ask_to_close, closed_unasked
from fairtrial.catalog.tables import Data
from fairtrial.engine.plan import Request
from fairtrial.engine.run import run_engine
from fairtrial.experiment.ready import HEALTH, Ready
from fairtrial.load.engine_terms import Protocol
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import Clause

EVIDENCE_CHARACTERS = 500
"""The most of a violation that a record keeps: a stack decides how long its answers are."""


def try_contract(
    url: str,
    stack_clauses: Sequence[ClauseTest],
    clauses: Sequence[ClauseTest],
    data: Data,
    options: object,
    listening: set[tuple[str, int]] | None,
    *,
    on_first_answer: Callable[[float], None] = lambda _seconds: None,
    ready: Ready = HEALTH,
    on_summary: Callable[[EngineSummary], None] = lambda _summary: None,
    headers: Sequence[tuple[str, str]] = (),
    spoken_beside: Sequence[Protocol] = (),
    over: Protocol = "HTTP/1.1",
    listens_at: str = "",
    address: str = "",
    ca_file: str | None = None,
) -> Iterator[Clause]:
    """Test the stack at `url` against the clauses of a workload, in order.

    Args:
        stack_clauses: those that do not depend on the workload's requests, such as `EVERY_STACK`; they come first.
        clauses: those about its requests.
        options: the workload's options.
        listening: (address, port) of every socket on which the stack listens; None: nothing is known of its processes,
            or it has a network of its own, and where it listens is not asked.
        on_first_answer: is told how many seconds the first request of the workload took, if its clause holds.
        ready: when the stack counts as ready. Clauses that take any path ask that of its readiness.
        on_summary: is told of every run of the engine that a clause takes.
        headers: of the workload's requests, as the engine sends them during the load. What every stack is asked, such
            as its health, may be of another type than they accept.
        spoken_beside: what the stack says that it speaks as well as HTTP/1.1, which is tried.
        over: what the load comes over: all is asked over it, but that those who speak HTTP/2 are asked over HTTP/1.1
            what takes no run of the engine.
        listens_at: the address at which the stack is to listen; empty: that of the URL.
        address: `HOST:PORT` where the load engine connects; empty: the URL has no name, but an address.
        ca_file: PEM of the authorities that are trusted; None: the roots of this machine.
    """
    answers: list[httpx.Response] = []
    summaries: list[EngineSummary] = []

    def ran(summary: EngineSummary) -> None:
        summaries.append(summary)
        on_summary(summary)

    with client_of(url, ca_file=ca_file, over=over) as client:
        client.event_hooks = {"response": [answers.append]}
        stack = StackUnderTest(
            client,
            data,
            options,
            listening or set(),
            listens_at=listens_at,
            address=address,
            path=ready.path or "/",
            on_summary=ran,
            over=over,
            ca_file=ca_file,
        )
        before = [*stack_clauses, *(OF_PROTOCOLS[each] for each in spoken_beside)]
        for number, test in enumerate([*before, *clauses]):
            if number == len(before):
                client.headers.update([(name.encode(), value.encode()) for name, value in headers])
            if test is LISTENS_ON_HOST and listening is None:
                continue
            answers.clear()
            summaries.clear()
            remedy = ""
            try:
                violation = test.violation(stack)
            except Problem as problem:
                violation, remedy = problem.reason, printable(problem.remedy, EVIDENCE_CHARACTERS)
            except httpx.ConnectError as error:
                violation = f"no connection: {error}"
            if clauses and test is clauses[0] and violation is None:
                if answers:
                    on_first_answer(answers[0].elapsed.total_seconds())
                elif summaries and (seconds := summaries[0].response_time.max_seconds) is not None:
                    on_first_answer(seconds)
            evidence = printable(violation or "", EVIDENCE_CHARACTERS)  # it may quote the stack's answer
            passed = violation is None
            yield Clause(name=test.name, requirement=test.requirement, passed=passed, evidence=evidence, remedy=remedy)


def without_connections(clauses: Sequence[ClauseTest]) -> list[ClauseTest]:
    """Those clauses that are not about connections of HTTP/1.1: over HTTP/3, nothing is promised of the port of TCP."""
    return [each for each in clauses if each.name not in ("close", "keep-alive")]


def _keep_alive(stack: StackUnderTest) -> str | None:
    return closed_unasked(stack.client, stack.path)


def _close(stack: StackUnderTest) -> str | None:
    answer, closed = ask_to_close(stack.client, stack.path)
    header = answer.headers.get("connection")
    if header is None:
        stays = "the answer's Connection header is missing, and the connection stays open: close it after the answer"
        return None if closed else stays
    options = [option.strip() for option in header.lower().split(",")]
    return None if "close" in options else f"the answer's Connection header is {header.lower()}"


def _host_only(stack: StackUnderTest) -> str | None:
    host = stack.listens_at or stack.client.base_url.host
    elsewhere = sorted(f"{address}:{port}" for address, port in stack.listening if not is_address(address, host))
    return f"it also listens on {', '.join(elsewhere)}" if elsewhere else None


def _answers_over(protocol: Protocol) -> Callable[[StackUnderTest], str | None]:
    """Any answer over it will do: what it says is asked elsewhere."""

    def violation(stack: StackUnderTest) -> str | None:
        request = Request(name="spoken", path=stack.path)
        summary = run_engine(stack.plan_of(request, over=protocol), lambda _event: None)
        stack.on_summary(summary)
        if summary.answers:
            return None
        return next((f"{each.what}: {each.excerpt}" for each in summary.examples), "no answer")

    return violation


OF_PROTOCOLS: Mapping[Protocol, ClauseTest] = {
    "HTTP/2": ClauseTest(
        "http2",
        "it answers over HTTP/2 as well, on the same port: with prior knowledge, over TLS by ALPN",
        _answers_over("HTTP/2"),
    ),
    "HTTP/3": ClauseTest("http3", "it answers over HTTP/3, on the port of UDP", _answers_over("HTTP/3")),
}
LISTENS_ON_HOST = ClauseTest("listens-on-host", "it listens on HOST and nowhere else", _host_only)

ANY_SERVER = (
    ClauseTest("close", "after a request with Connection: close it closes the connection", _close),
    LISTENS_ON_HOST,
)
EVERY_STACK = (
    answers_status("health", "GET", "/health", 200),
    answers_status("unknown-path", "GET", "/no-such-path", 404, "a path that no workload defines answers 404"),
    ClauseTest("keep-alive", "the connection stays open after an answer (HTTP/1.1)", _keep_alive),
    *ANY_SERVER,
)
"""The first three are of the lab's workloads, which define paths and are measured over connections that stay open."""
