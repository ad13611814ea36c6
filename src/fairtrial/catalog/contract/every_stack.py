"""The clauses of every stack, and the test of a running stack against them and those of its workload."""

from collections.abc import Callable, Iterator, Sequence

import httpx

from fairtrial.base.loopback import is_loopback
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import ANSWER_WITHIN_SECONDS, ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status
from fairtrial.catalog.tables import Data
from fairtrial.record.model import Clause

EVIDENCE_CHARACTERS = 500
"""The most of a violation that a record keeps: a stack decides how long its answers are."""


def try_contract(
    url: str,
    clauses: Sequence[ClauseTest],
    data: Data,
    options: object,
    listening: set[tuple[str, int]],
    *,
    on_first_answer: Callable[[float], None] = lambda _seconds: None,
) -> Iterator[Clause]:
    """Test the stack at `url` against the clauses of every stack, then against the workload's `clauses`, in order.

    Args:
        options: the workload's options.
        listening: (address, port) of every socket on which the stack listens.
        on_first_answer: is told how many seconds the first request of the workload took, if its clause holds.
    """
    answers: list[httpx.Response] = []
    with httpx.Client(base_url=url, trust_env=False, timeout=ANSWER_WITHIN_SECONDS) as client:
        client.event_hooks = {"response": [answers.append]}
        stack = StackUnderTest(client, data, options, listening)
        for test in [*EVERY_STACK, *clauses]:
            answers.clear()
            try:
                violation = test.violation(stack)
            except Problem as problem:
                violation = problem.reason
            except httpx.ConnectError as error:
                violation = f"no connection: {error}"
            if clauses and test is clauses[0] and violation is None and answers:
                on_first_answer(answers[0].elapsed.total_seconds())
            evidence = printable(violation or "", EVIDENCE_CHARACTERS)  # it may quote the stack's answer
            yield Clause(name=test.name, requirement=test.requirement, passed=violation is None, evidence=evidence)


def _keep_alive(stack: StackUnderTest) -> str | None:
    answer = ask(stack.client, "GET", "/health")
    if answer.headers.get("connection", "").lower() == "close":
        return "the answer says Connection: close"
    return None


def _close(stack: StackUnderTest) -> str | None:
    answer = ask(stack.client, "GET", "/health", headers={"connection": "close"})
    header = answer.headers.get("connection", "missing").lower()
    return None if header == "close" else f"the answer's Connection header is {header}"


def _loopback_only(stack: StackUnderTest) -> str | None:
    elsewhere = sorted(f"{address}:{port}" for address, port in stack.listening if not is_loopback(address))
    return f"it also listens on {', '.join(elsewhere)}" if elsewhere else None


EVERY_STACK = (
    answers_status("health", "GET", "/health", 200),
    answers_status("unknown-path", "GET", "/no-such-path", 404, "a path that no workload defines answers 404"),
    ClauseTest("keep-alive", "the connection stays open after an answer (HTTP/1.1)", _keep_alive),
    ClauseTest("close", "a request with Connection: close is answered with Connection: close", _close),
    ClauseTest("listens-on-host", "it listens on HOST and nowhere else", _loopback_only),
)
