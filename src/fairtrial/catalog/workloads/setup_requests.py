"""Setup requests of a workload file that are sent once: in their order before the load, with variables taken from
their answers.

What an answer holds may be a credential. Of answers that are right at first sight (2xx), messages therefore show the
shape only, and of others nothing that was sent or taken.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from fairtrial.base.formatting import count
from fairtrial.base.json_members import once_each
from fairtrial.base.json_pointer import value_at
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import Answer, ask
from fairtrial.catalog.workloads.sent_requests import engine_request, long_enough, secrets_among
from fairtrial.engine.plan import DigestBody, ExactBody, Expectation, JsonBody, Request
from fairtrial.experiment.workload_file.model import SetupEntry
from fairtrial.experiment.workload_file.placeholders import Placeholder, Scalar, TemplateWriter, as_sent, spelled
from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.secrets import Secrets
from fairtrial.experiment.workload_file.variables import parse_taken
from fairtrial.record.status_causes import status_remedy

LONGEST_VALUE_CHARACTERS = 16 << 10
"""The engine's requests hold each value; servers refuse longer headers anyway."""

EXCERPT_CHARACTERS = 120
REMEDY = "see [setup] in docs/workload-file.md; send the request by hand and look at its answer"


def send_setup(
    source: WorkloadSource,
    client: httpx.Client,
    host: str | None = None,
    environment: Mapping[str, str] | None = None,
    headers: Sequence[tuple[str, str]] = (),
) -> dict[str, Scalar]:
    """Send the setup requests of a file that are sent once, and give the variables that they take.

    Args:
        client: with the server's base URL; it is closed.
        host: the Host header; None: that of the URL.
        environment: variables by name; None: this process's own.
        headers: they take the place of the file's own.

    Raises:
        Problem: an answer is not as expected, or has no value for a variable; the reason names file and request.
    """
    variables: dict[str, Scalar] = {}
    rows_taken: dict[str, int] = {}
    with client:
        for name, entry in source.setup.items():
            key = f"setup.{name}"
            cells = _cells(source, key, entry, rows_taken)
            fixed = {**cells, **{Placeholder("var", (each,)): value for each, value in variables.items()}}
            writer = TemplateWriter(source.prefix, os.environ if environment is None else environment, 0, fixed)
            request = engine_request(source, key, name, entry, 1, writer)
            cell_values = {" ".join((cell.name, *cell.arguments)): spelled(value) for cell, value in cells.items()}
            secrets = {**writer.used, **long_enough(cell_values), **secrets_among(variables)}
            try:
                variables |= _variables(entry, request, _ask(client, request, host, headers), secrets)
            except Problem as problem:
                reason = Secrets(secrets).hidden(problem.reason)
                remedy = Secrets(secrets).hidden(problem.remedy)
                raise Problem(f"{source.file}: {key}: {reason}", "; ".join(filter(None, [remedy, REMEDY]))) from None
    return variables


def _cells(source: WorkloadSource, key: str, entry: SetupEntry, used_rows: dict[str, int]) -> dict[Placeholder, Scalar]:
    """The cells that a request takes: of the first row that no setup request before it took."""
    cells: dict[Placeholder, Scalar] = {}
    places: dict[str, int] = {}
    for _, placeholder in entry.cells:
        table, column = placeholder.arguments
        rows = source.rows[table]
        if table not in places:
            places[table] = used_rows.get(table, 0)
            used_rows[table] = places[table] + 1
        if places[table] >= rows.count:
            raise Problem(
                f"{source.file}: {key}: {rows.file} has {count(rows.count, 'row')}, and each setup request takes one",
                "give it more rows",
            )
        cells[placeholder] = rows.row(places[table])[column]
    return cells


def _ask(client: httpx.Client, request: Request, host: str | None, headers: Sequence[tuple[str, str]]) -> Answer:
    names = {"accept-encoding", *(name.lower() for name, _ in headers)}  # nothing here unpacks an answer
    file_headers = [(name, as_sent(value)) for name, value in request.headers if name.lower() not in names]
    more_headers = [each for each in headers if each[0].lower() != "accept-encoding"]
    all_headers = [*file_headers, *more_headers, *([("host", host)] if host else [])]
    content: bytes | None = None
    if request.body is not None:
        content = as_sent(request.body).encode()
    elif request.body_file is not None:
        content = Path(request.body_file).read_bytes()
    elif request.body_parts is not None:
        parts = [next(iter(part.items())) for part in request.body_parts]
        content = b"".join(as_sent(it).encode() if kind == "text" else Path(it).read_bytes() for kind, it in parts)
    client.cookies.clear()  # the load has none either: what it needs is a variable
    try:
        encoded = [(name.encode(), value.encode()) for name, value in all_headers]
        chunks = iter([content]) if request.chunked and content is not None else content
        return ask(client, request.method, as_sent(request.path), headers=encoded, content=chunks)
    except httpx.ConnectError as error:
        raise Problem(f"no connection: {error}") from error


def _variables(entry: SetupEntry, request: Request, answer: Answer, secrets: Mapping[str, str]) -> dict[str, Scalar]:
    fault = _answer_fault(answer, request.expect)
    if fault is not None:
        is_unexpected = answer.status not in (request.expect.status or range(200, 300))
        raise Problem(
            f"{fault}: {_excerpt(answer, secrets)}",
            status_remedy(answer.status, answer.headers) if is_unexpected else "",
        )
    return {name: _value(name, text, answer, secrets) for name, text in entry.take.items()}


def _value(name: str, text: str, answer: Answer, secrets: Mapping[str, str]) -> Scalar:
    where = parse_taken(text)
    value: object
    if where.pointer is not None:
        try:
            value = value_at(_parsed(answer.body), where.pointer)
        except (LookupError, ValueError):
            raise Problem(f"take.{name}: nothing stands at {where.pointer}: {_excerpt(answer, secrets)}") from None
    else:
        value = answer.headers.get(where.header)
        if value is None:
            raise Problem(f"take.{name}: the answer has no header {where.header}")
        if where.pattern is not None:
            match = where.pattern.search(str(value))
            value = None if match is None else match.group(1)
            if value is None:
                raise Problem(f"take.{name}: {where.pattern.pattern!r} does not fit the header {where.header}")
    if not isinstance(value, str | int | float):
        raise Problem(f"take.{name}: at {text} stands {_kind(value)}: take a text, a number or a boolean")
    if len(spelled(value)) > LONGEST_VALUE_CHARACTERS:
        raise Problem(f"take.{name}: the value has more than {LONGEST_VALUE_CHARACTERS:,} characters")
    if isinstance(value, str) and not value.isprintable():
        raise Problem(f"take.{name}: the value holds a control character")
    return value


def _excerpt(answer: Answer, secrets: Mapping[str, str]) -> str:
    """An answer's part for a message."""
    if not 200 <= answer.status <= 299:
        text = Secrets(secrets).hidden(answer.body[:1000].decode(errors="replace"))
        return printable(text, EXCERPT_CHARACTERS)
    try:
        document = _parsed(answer.body)
    except ValueError:
        return f"the body is {count(len(answer.body), 'byte')}, and no JSON"
    if not isinstance(document, dict):
        return f"the body is {_kind(document)}"
    members = ", ".join(f"{member}: {_kind(each)}" for member, each in list(document.items())[:20])
    return printable(f"the body has {members or 'no member'}", EXCERPT_CHARACTERS)


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, dict):
        return "an object"
    kinds = {str: "a text", int: "a number", float: "a number", list: "an array"}
    return kinds.get(type(value), "null")


def _answer_fault(answer: Answer, expect: Expectation) -> str | None:
    """The fault of an answer, without a value of its body, by the rules of the engine; None: nothing."""
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
    if isinstance(expect.body, DigestBody):
        is_right = hashlib.sha256(answer.body).hexdigest() == expect.body.sha256.lower()
        return None if is_right else "the body's SHA-256 is another one"
    return _wrong_value(answer.body, expect.body) if isinstance(expect.body, JsonBody) else None


def _parsed(body: bytes) -> Any:
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
        document = _parsed(body)
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
