"""A workload file's expectations of answers to a request, in words and without any value."""

from collections.abc import Iterator, Mapping

from fairtrial.base.formatting import count
from fairtrial.engine.plan import AnyBody, BodyRange, ExactBody, JsonBody, Request

ANY_ANSWER = "any answer with 2xx is right"


def expects_nothing(request: Request) -> bool:
    """Whether any answer with 2xx is right, whatever its body."""
    expect = request.expect
    expectations = (expect.status, expect.content_type, expect.body_bytes, request.body_check)
    return all(each is None for each in expectations) and isinstance(expect.body, AnyBody)


def expected_in_words(request: Request) -> str:
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
