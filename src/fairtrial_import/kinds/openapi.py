"""`openapi.yaml`, `openapi.json`: a document of OpenAPI 3.0, 3.1 or 3.2, or of Swagger 2.0. One request for each
operation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urljoin, urlsplit

from fairtrial.base.problem import Problem
from fairtrial_import.answer_schema import AnswerSchemas
from fairtrial_import.bodies import is_json, media_type
from fairtrial_import.document import ParsedDocument, read_document
from fairtrial_import.entries import left_out_in_words, read_each
from fairtrial_import.headers import keep_headers
from fairtrial_import.json_value import member_at, objects, text
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import METHODS, FoundRequest, ImportedRequests
from fairtrial_import.operation import Notes, Operation, body_of, in_words, parameters_of
from fairtrial_import.sample_check import Sample, misfits, prescribed
from fairtrial_import.source import ImportSource
from fairtrial_import.swagger_2 import as_openapi_3
from fairtrial_import.template import encoded
from fairtrial_import.variables import Variables, variable_name

MOST_OPERATIONS = 10_000
OTHER_METHODS = ("trace", "query")
"""Keys of a path beside those of a workload file (OpenAPI 3.2)."""


def read(source: ImportSource, variables: Variables) -> ImportedRequests:
    """One request for each operation, with the document's examples, or made-up values where it has none.

    Raises:
        Problem: it is no OpenAPI document, or no operation of it can be read.
    """
    document = read_document(source)
    if document.is_version_2:
        document = as_openapi_3(document)
    reader = _Reader(document, AnswerSchemas(source, document), variables)
    broken: list[Problem] = []
    requests, remarks = read_each(_operations(document, broken), reader.requests, source.label)
    unusable = reader.schemas.unusable()
    broken_schemas = misfits(document, reader.samples)
    return ImportedRequests(
        title=text(member_at(document.root, "info", "title")) or source.stem,
        requests=[
            _with_remark(
                _with_usable_schema(request, unusable), f"breaks its schema: {in_words(names)}" if names else ""
            )
            for request, names in zip(requests, broken_schemas, strict=True)
        ],
        remarks=[*remarks, *left_out_in_words(broken, source.label)],
        page_origin="",
    )


def _with_usable_schema(request: FoundRequest, unusable: Mapping[str, str]) -> FoundRequest:
    """Without a schema that is left out, for which there may be a reason."""
    reason = unusable.get(request.schema or "")
    if reason is None:
        return request
    remark = f"the schema of its answer was left out: {reason}" if reason else ""
    return _with_remark(replace(request, schema=None), remark)


def _with_remark(request: FoundRequest, remark: str) -> FoundRequest:
    return replace(request, remarks=(*request.remarks, remark)) if remark else request


def _operations(document: ParsedDocument, broken: list[Problem]) -> Iterator[Operation]:
    """All operations. Paths whose entry cannot be followed are added to `broken`."""
    paths = member_at(document.root, "paths")
    number = 0
    for path, reference in paths.items() if isinstance(paths, dict) else ():
        try:
            item = document.resolved(reference)
        except Problem as problem:
            broken.append(_of(document, str(path), problem))
            continue
        more = member_at(item, "additionalOperations")
        keys = {method: member_at(item, method) for method in (*METHODS, *OTHER_METHODS)}
        for method, operation in {**keys, **(more if isinstance(more, dict) else {})}.items():
            if isinstance(operation, dict):
                number += 1
                if number > MOST_OPERATIONS:
                    reason = f"{document.label}: paths: more than {MOST_OPERATIONS:,} operations"
                    raise Problem(reason, "import a part of it")
                yield Operation(str(method), str(path), operation, item)


def _of(document: ParsedDocument, what: str, problem: Problem) -> Problem:
    """The same, with what it belongs to."""
    return Problem(f"{document.label}: {what}: {problem.reason.removeprefix(f'{document.label}: ')}", problem.remedy)


def _server(*holders: Any) -> tuple[str, str, list[str]]:
    """Origin and path of the first server of the first holder that names any, and its variables that have no default.

    The origin is empty if the address is relative, or cannot be read.
    """
    server = next((each for holder in holders for each in objects(member_at(holder, "servers"))), {})
    address = text(server.get("url"))
    defaults = {name: member_at(server, "variables", name, "default") for name in re.findall(r"\{([^{}]*)\}", address)}
    url = re.sub(r"\{([^{}]*)\}", lambda match: str(defaults[match[1]] or ""), address)
    unknown = [name for name, value in defaults.items() if value is None]
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", "", unknown
    path = urljoin("/", parts.path).strip("/")
    scheme = parts.scheme or "https"
    default_port = {"http": ":80", "https": ":443"}.get(scheme, "")
    host = parts.netloc.rpartition("@")[2].lower().removesuffix(default_port)
    return f"{scheme}://{host}" if host else "", f"/{path}" if path else "", unknown


@dataclass(frozen=True)
class _Reader:
    """Reads the operations of a document."""

    document: ParsedDocument
    schemas: AnswerSchemas
    variables: Variables
    samples: list[list[Sample]] = field(default_factory=list)
    """of each request that was read"""

    def requests(self, operation: Operation) -> Sequence[FoundRequest]:
        """The request of an operation.

        Raises:
            Problem: it cannot become one; names the operation.
        """
        try:
            if operation.method not in METHODS:
                raise Problem("a workload file has no such method")
            if isinstance(broken := operation.keys.get("broken"), Problem):
                raise broken
            return [self._request(operation)]
        except Problem as problem:
            raise _of(self.document, f"{operation.method.upper()} {operation.path}", problem) from problem

    def _request(self, operation: Operation) -> FoundRequest:
        notes = Notes()
        parameters = parameters_of(self.document, operation, notes)
        body = body_of(self.document, operation, notes)
        credentials = _credentials(self.document, self.variables, operation.keys)
        query = "&".join(
            [*parameters.query, *(f"{name}={value}" for place, name, value in credentials if place == "query")]
        )
        cookies = [*parameters.cookies, *(f"{name}={value}" for place, name, value in credentials if place == "cookie")]
        headers = [*parameters.headers, *((name, value) for place, name, value in credentials if place == "header")]
        if cookies:
            headers.append(("cookie", "; ".join(cookies)))
        if body is not None and body.content_type:
            headers.append(("content-type", body.content_type))
        answer = _expected(self.document, self.schemas, operation)
        if answer.has_others and answer.media_type:
            headers.append(("accept", answer.media_type))
        own, *_ = _server(self.document.root)
        origin, base, unknown = _server(operation.keys, operation.item, self.document.root)
        path = f"{base}/{parameters.path.removeprefix('/')}".partition("#")[0]  # a fragment is never sent
        selection = keep_headers(headers, are_templates=True, are_described=True)
        no_secrets = frozenset(each for sample in notes.samples for each in prescribed(self.document, sample))
        self.samples.append(notes.samples)  # nothing below raises: one list for each request
        return FoundRequest(
            method=operation.method,
            path=encoded(path + (f"{'&' if '?' in path else '?'}{query}" if query else "")),
            headers=selection.headers,
            left_out_headers=selection.left_out,
            body=body.body if body else None,
            no_secrets=no_secrets,
            statuses=answer.statuses,
            media_type=answer.media_type,
            schema=answer.schema,
            name=text(operation.keys.get("operationId")) or f"{operation.method} {operation.path}",
            origin=origin if origin and origin != own else None,
            remarks=(
                *notes.remarks(),
                *([f"without a default, left out of its server's address: {in_words(unknown)}"] if unknown else []),
                *([f"the schema of its answer was left out: {answer.no_schema}"] if answer.no_schema else []),
            ),
        )


def _credentials(
    document: ParsedDocument, variables: Variables, operation: dict[str, Any]
) -> list[tuple[str, str, str]]:
    """Place, name and value of each header, parameter or cookie that the first way to be let in asks for."""
    ways = objects(operation.get("security", document.root.get("security")))
    if not ways or not all(ways):  # an empty way: nothing is asked for
        return []
    credentials = []
    for scheme_name in ways[0]:
        scheme = document.resolved(member_at(document.root, "components", "securitySchemes", scheme_name))
        kind, name = text(member_at(scheme, "type")), text(member_at(scheme, "name"))
        variable = variable_name(str(scheme_name))
        if kind == "apiKey" and name:
            value = variables.placeholder_of(
                variable, f"the document's {scheme_name}, {text(member_at(scheme, 'in'))} {name}"
            )
            credentials.append((text(member_at(scheme, "in")), name, value))
        elif kind == "http" and text(member_at(scheme, "scheme")).lower() == "basic":
            value = variables.placeholder_of(variable, f"the document's {scheme_name}: base64 of user:password")
            credentials.append(("header", "authorization", f"Basic {value}"))
        elif kind in ("http", "oauth2", "openIdConnect"):
            way = text(member_at(scheme, "scheme")).capitalize() or "Bearer"
            value = variables.placeholder_of(
                variable, f"the document's {scheme_name}: header authorization, after {way}"
            )
            credentials.append(("header", "authorization", f"{way} {value}"))
    return credentials


@dataclass(frozen=True)
class _Answer:
    statuses: tuple[int, ...] = ()
    media_type: str | None = None
    schema: str | None = None
    no_schema: str = ""
    """why there is none, where that has to be said"""
    has_others: bool = False
    """whether it may have other media types, so that this one has to be asked for"""


def _expected(document: ParsedDocument, schemas: AnswerSchemas, operation: Operation) -> _Answer:
    """The first promised status of success, else of a redirect, and those that promise the same answer; the first media
    type of it, JSON if it may be, and its schema."""
    responses = operation.keys.get("responses")
    responses = responses if isinstance(responses, dict) else {}
    patterns = (r"2\d\d|2XX", r"3\d\d|3XX")
    choices = ([key for key in responses if re.fullmatch(each, str(key), re.IGNORECASE)] for each in patterns)
    keys = next(filter(None, choices), None)
    if keys is None:
        return _Answer()
    statuses: tuple[int, ...] = (int(keys[0]),) if str(keys[0]).isdigit() else ()
    try:
        content, *others = [member_at(document.resolved(responses[key]), "content") for key in keys]
    except Problem as problem:
        return _Answer(statuses, no_schema=problem.reason.removeprefix(f"{document.label}: "))
    if statuses:
        same = (key for key, other in zip(keys[1:], others, strict=True) if other == content)
        statuses += tuple(int(key) for key in same if str(key).isdigit())
    names = [str(name) for name in content] if isinstance(content, dict) else []
    content_types = [name for name in names if media_type(name) and "*" not in name]
    if not content_types:
        return _Answer(statuses)
    content_type = next(filter(is_json, content_types), content_types[0])
    schema, no_schema = None, ""
    if is_json(content_type):
        place = ["paths", operation.path, operation.method, "responses", str(keys[0])]
        schema, no_schema = schemas.of(place, responses[keys[0]], content_type)
    return _Answer(statuses, media_type(content_type), schema, no_schema, has_others=len(content_types) > 1)


KIND = SourceKind("openapi", "an OpenAPI document", lambda source: bool(source.keys & {"openapi", "swagger"}), read)
