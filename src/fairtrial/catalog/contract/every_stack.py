"""What every stack owes, tried together with what its workload asks for."""

from collections.abc import Iterator, Sequence

import httpx

from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import ANSWER_WITHIN_SECONDS, ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data
from fairtrial.record.model import Clause


def try_contract(
    url: str, clauses: Sequence[ClauseTest], data: Data, options: object, listening: set[tuple[str, int]]
) -> Iterator[Clause]:
    """What every stack owes and the workload's `clauses`, tried in order on the stack at `url`."""
    with httpx.Client(base_url=url, trust_env=False, timeout=ANSWER_WITHIN_SECONDS) as client:
        attempt = Attempt(client, data, options, listening)
        for test in [*EVERY_STACK, *clauses]:
            try:
                seen = test.attempt(attempt)
            except Problem as problem:
                seen = problem.reason
            except httpx.ConnectError as error:
                seen = f"no connection: {error}"
            yield Clause(name=test.name, requirement=test.requirement, passed=seen is None, evidence=seen or "")


def _health(attempt: Attempt) -> str | None:
    status = ask(attempt.client, "GET", "/health").status
    return None if status == 200 else f"status {status}"


def _unknown_path(attempt: Attempt) -> str | None:
    status = ask(attempt.client, "GET", "/no-such-path").status
    return None if status == 404 else f"status {status}"


def _keep_alive(attempt: Attempt) -> str | None:
    answer = ask(attempt.client, "GET", "/health")
    if answer.headers.get("connection", "").lower() == "close":
        return "the answer says Connection: close"
    return None


def _close(attempt: Attempt) -> str | None:
    answer = ask(attempt.client, "GET", "/health", headers={"connection": "close"})
    seen = answer.headers.get("connection", "missing").lower()
    return None if seen == "close" else f"the answer's Connection header is {seen}"


def _loopback_only(attempt: Attempt) -> str | None:
    elsewhere = sorted(f"{address}:{port}" for address, port in attempt.listening if address != LOOPBACK)
    return f"it also listens on {', '.join(elsewhere)}" if elsewhere else None


EVERY_STACK = (
    ClauseTest("health", "GET /health answers 200", _health),
    ClauseTest("unknown-path", "a path that no workload has answers 404", _unknown_path),
    ClauseTest("keep-alive", "a connection is kept after an answer (HTTP/1.1)", _keep_alive),
    ClauseTest("close", "a request with Connection: close is answered with Connection: close", _close),
    ClauseTest("listens-on-host", "it listens on HOST and nowhere else", _loopback_only),
)
