"""The clauses of a workload file: each of its requests, sent once by the engine, is answered as the file expects."""

from collections.abc import Mapping, Sequence

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.catalog.contract.answer import ANSWER_WITHIN_SECONDS
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.engine.plan import (
    Closed,
    EnginePlan,
    Expectation,
    GivenRows,
    Request,
    SetupRequest,
    StopAfterRequests,
    Tls,
)
from fairtrial.engine.run import run_engine
from fairtrial.record.engine_summary import EngineSummary


def clause(
    request: Request,
    rows: Mapping[str, GivenRows],
    secrets: Mapping[str, str],
    requirement: str,
    setup: Sequence[SetupRequest] = (),
) -> ClauseTest:
    """The clause that one request is answered as expected.

    The engine itself sends it and verifies the answer: the load is then judged in the same way.

    Args:
        rows: the tables that it takes rows of.
        secrets: values in it that its evidence must not quote, by the name of their variable.
        requirement: what the clause says.
        setup: what the connection sends first.
    """

    def violation(stack: StackUnderTest) -> str | None:
        url = stack.client.base_url
        secure = url.scheme == "https"
        host = f"[{url.host}]" if ":" in url.host else url.host
        plan = EnginePlan(
            address=f"{host}:{url.port or (443 if secure else 80)}",
            host=url.netloc.decode(),
            tls=Tls(server_name=url.host) if secure else None,
            setup=list(setup),
            requests=[request],
            rows=dict(rows),
            secrets=dict(secrets),
            load=Closed(connections=1),
            stop=StopAfterRequests(requests=1),
            timeout_seconds=ANSWER_WITHIN_SECONDS,
            progress_every_seconds=0,
        )
        summary = run_engine(plan, lambda _event: None)
        stack.on_summary(summary)
        return None if summary.verified else _what_came(summary, request.expect)

    return ClauseTest(request.name, requirement, violation)


def _what_came(summary: EngineSummary, expect: Expectation) -> str:
    """What came instead of the expected answer: `status 404, not 200: Not Found`."""
    kind = next((kind for kind, number in summary.errors.items() if number), "no answer")
    if not summary.examples:
        return kind.replace("_", " ")
    example = summary.examples[0]
    if summary.setup_requests is not None and any(summary.setup_requests.failures.values()):
        return example.what
    what = example.what
    if kind.startswith("status_"):
        statuses = " or ".join(map(str, expect.status or [])) or "a 2xx"
        what = f"status {example.status}, not {statuses}"
    elif kind == "wrong_header":
        what = f"status {example.status}, and the content type is not {expect.content_type}"
    elif kind == "wrong_length" and summary.body_bytes is not None and expect.body_bytes is not None:
        length = f"{expect.body_bytes.min:,} to {expect.body_bytes.max:,}"
        what = f"status {example.status}, and the body has {count(summary.body_bytes.min, 'byte')}, not {length}"
    return f"{what}: {printable(example.excerpt, 120)}"
