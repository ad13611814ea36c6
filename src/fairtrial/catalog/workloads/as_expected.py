"""The clauses of a workload file: each of its requests, sent once by the engine, is answered as the file expects."""

from collections.abc import Iterator, Mapping, Sequence

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.engine.plan import AnyBody, BodyRange, ExactBody, Expectation, GivenRows, JsonBody, Request, SetupRequest
from fairtrial.engine.run import run_engine
from fairtrial.record.engine_summary import EngineSummary

ANY_ANSWER = "any answer with 2xx is right"


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

    return ClauseTest(request.name, requirement, violation, expected=_in_words(request))


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


def expects_nothing(request: Request) -> bool:
    """Whether any answer with 2xx is right, whatever its body."""
    expect = request.expect
    expectations = (expect.status, expect.content_type, expect.body_bytes, request.body_check)
    return all(each is None for each in expectations) and isinstance(expect.body, AnyBody)


def _in_words(request: Request) -> str:
    """`status 200; application/json; 500 to 4,000 bytes; /id, /kind; its schema`, or that any 2xx is right."""
    return ANY_ANSWER if expects_nothing(request) else "; ".join(_parts(request))


def _parts(request: Request) -> Iterator[str]:
    expect, check = request.expect, request.body_check
    yield f"status {' or '.join(map(str, expect.status))}" if expect.status else "any 2xx"
    if expect.content_type is not None:
        yield expect.content_type
    if expect.body_bytes is not None:
        yield _length(expect.body_bytes)
    if isinstance(expect.body, ExactBody):
        yield "the whole body"
    if isinstance(expect.body, JsonBody):
        yield _places(expect.body.values)
    if check is not None and check.schema is not None:
        yield "a schema that accepts any answer" if check.schema.accepts_anything else "its schema"
    if check is not None and check.matches:
        yield f"patterns at {_places(check.matches)}"


def _length(allowed: BodyRange) -> str:
    return count(allowed.min, "byte") if allowed.min == allowed.max else f"{allowed.min:,} to {allowed.max:,} bytes"


def _places(pointers: Mapping[str, object]) -> str:
    return ", ".join(pointer or "the whole body" for pointer in pointers)
