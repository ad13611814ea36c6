"""One answer that the lab itself received, held against an expectation as the engine does it."""

import json
from typing import Any

from fairtrial.base.formatting import count
from fairtrial.base.json_members import once_each
from fairtrial.base.json_pointer import value_at
from fairtrial.base.printable import printable
from fairtrial.catalog.contract.answer import Answer
from fairtrial.catalog.workloads.written import as_sent
from fairtrial.engine.plan import ExactBody, Expectation, JsonBody


def answer_fault(answer: Answer, expect: Expectation) -> str | None:
    """The fault of an answer, without a value of its body; None: nothing."""
    statuses = expect.status or range(200, 300)
    if answer.status not in statuses:
        return f"status {answer.status}, not {' or '.join(map(str, expect.status or [])) or 'a 2xx'}"
    content_type = answer.headers.get("content-type", "")
    if expect.content_type is not None and not _fits(content_type, expect.content_type):
        return f"the content type is {printable(content_type, 60) or 'missing'}, not {expect.content_type}"
    length = expect.body_bytes
    if length is not None and not length.min <= len(answer.body) <= length.max:
        return f"the body has {count(len(answer.body), 'byte')}, not {length.min:,} to {length.max:,}"
    if isinstance(expect.body, ExactBody) and answer.body != expect.body.text.encode():
        return "the body is another text"
    if isinstance(expect.body, JsonBody):
        return _wrong_value(answer.body, expect.body)
    return None


def parsed(body: bytes) -> Any:
    """A body of JSON.

    Raises:
        ValueError: it is none, or a member occurs twice.
    """
    try:
        return json.loads(body, object_pairs_hook=once_each, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _wrong_value(body: bytes, expect: JsonBody) -> str | None:
    try:
        document = parsed(body)
    except ValueError:
        return "the body is no JSON, or a member occurs twice"
    for pointer, text in expect.values.items():
        try:
            value = value_at(document, pointer)
        except LookupError:
            return f"nothing stands at {pointer}"
        if not _equal(value, json.loads(as_sent(text))):
            return f"at {pointer or 'the whole body'} stands another value"
    return None


def _equal(first: Any, second: Any) -> bool:
    """Equal JSON: numbers by value, and no boolean is a number."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(_equal(each, second[name]) for name, each in first.items())
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(_equal, first, second))
    return isinstance(first, bool) == isinstance(second, bool) and bool(first == second)


def _fits(actual: str, expected: str) -> bool:
    """Whether a media type is the expected one; parameters count if the expected one has some."""
    if ";" not in expected:
        actual = actual.partition(";")[0]
    return "".join(actual.split()).lower() == "".join(expected.split()).lower()


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
