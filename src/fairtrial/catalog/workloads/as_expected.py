"""The clauses of a workload file: each of its requests, sent once by the engine, is answered as the file expects."""

from collections.abc import Mapping, Sequence

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.catalog.workloads.expected import expected_in_words
from fairtrial.engine.plan import Expectation, GivenRows, Request, SetupRequest
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
        more = {"setup": list(setup), "rows": dict(rows), "secrets": dict(secrets)}
        summary = run_engine(stack.plan_of(request).model_copy(update=more), lambda _event: None)
        stack.on_summary(summary)
        return None if summary.verified else _what_came(summary, request.expect)

    return ClauseTest(request.name, requirement, violation, expected=expected_in_words(request))


def _what_came(summary: EngineSummary, expect: Expectation) -> str:
    """The answer in place of the expected one: `status 404, not 200: Not Found`."""
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
