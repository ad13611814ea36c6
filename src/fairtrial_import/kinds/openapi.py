"""`openapi.yaml`, `openapi.json`: an OpenAPI document of version 3.0 or 3.1. One request for each operation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fairtrial.base.problem import Problem
from fairtrial_import.answer_schema import AnswerSchemas
from fairtrial_import.bodies import is_json, media_type
from fairtrial_import.document import Document, read_document
from fairtrial_import.headers import keep_headers
from fairtrial_import.json_value import member_at, objects, text
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import METHODS, FoundRequest, ImportedRequests
from fairtrial_import.operation import Operation, Unsupported, body_of, parameters_of
from fairtrial_import.source import Source
from fairtrial_import.template import encoded
from fairtrial_import.variables import Variables, variable_name

MOST_OPERATIONS = 10_000
BEGINNING = re.compile(
    r"""^["']?(?:openapi|swagger)["']?\s*:|\A\s*\{\s*"(?:openapi|swagger)"\s*:|^\s{1,8}"(?:openapi|swagger)"\s*:""",
    re.MULTILINE,
)


def read(source: Source, variables: Variables) -> ImportedRequests:
    """One request for each operation, with the document's examples, or made-up values where it has none.

    Raises:
        Problem: it is no OpenAPI document, or leads out of itself.
    """
    document = read_document(source)
    base = _base_path(document.root)
    schemas = AnswerSchemas(source, document)
    requests, remarks = [], []
    for number, (method, path, operation, shared) in enumerate(_operations(document)):
        if number >= MOST_OPERATIONS:
            raise Problem(f"{source.label}: paths: more than {MOST_OPERATIONS:,} operations", "import a part of it")
        try:
            requests.append(_request(document, schemas, variables, base, Operation(method, path, operation, shared)))
        except Unsupported as reason:
            remarks.append(f"Left out: {method.upper()} {path}, {reason}.")
    title = text(member_at(document.root, "info", "title")) or source.stem
    return ImportedRequests(title=title, requests=requests, remarks=remarks)


def _operations(document: Document) -> Iterator[tuple[str, str, dict[str, Any], list[Any]]]:
    """Method, path, operation, and the parameters that all operations of the path share."""
    paths = member_at(document.root, "paths")
    for path, item in paths.items() if isinstance(paths, dict) else ():
        resolved = document.resolved(item)
        for method in METHODS:
            operation = member_at(resolved, method)
            if isinstance(operation, dict):
                shared = member_at(resolved, "parameters")
                yield method, str(path), operation, shared if isinstance(shared, list) else []


def _base_path(root: dict[str, Any]) -> str:
    """The path of the first server, with the defaults of its variables: `/v1`."""
    server = next(iter(objects(root.get("servers"))), {})
    url = text(server.get("url"))
    for match in re.findall(r"\{([^{}]*)\}", url):
        url = url.replace(f"{{{match}}}", str(member_at(server, "variables", match, "default") or ""))
    try:
        path = urlsplit(url).path.strip("/")
    except ValueError:
        return ""
    return f"/{path}" if path else ""


def _request(
    document: Document, schemas: AnswerSchemas, variables: Variables, base: str, operation: Operation
) -> FoundRequest:
    parameters = parameters_of(document, operation)
    body = body_of(document, operation)
    credentials = _credentials(document, variables, operation.keys)
    query = "&".join(
        [*parameters.query, *(f"{name}={value}" for place, name, value in credentials if place == "query")]
    )
    cookies = [*parameters.cookies, *(f"{name}={value}" for place, name, value in credentials if place == "cookie")]
    headers = [*parameters.headers, *((name, value) for place, name, value in credentials if place == "header")]
    if cookies:
        headers.append(("cookie", "; ".join(cookies)))
    if body is not None:
        headers.append(("content-type", body.content_type))
    answer = _expected(document, schemas, operation)
    made_up = [*parameters.made_up, *(body.made_up if body else [])]
    unsure = [*parameters.unsure, *(body.unsure if body else [])]
    optional = [*parameters.optional, *(["the body"] if body is None and "requestBody" in operation.keys else [])]
    return FoundRequest(
        method=operation.method,
        path=encoded(f"{base}/{parameters.path.removeprefix('/')}" + (f"?{query}" if query else "")),
        headers=keep_headers(headers, are_templates=True).headers,
        body=body.body if body else None,
        statuses=answer.statuses,
        media_type=answer.media_type,
        schema=answer.schema,
        name=text(operation.keys.get("operationId")) or f"{operation.method} {operation.path}",
        remarks=(
            *([f"made up: {_names_in_words(made_up)}"] if made_up else []),
            *([f"may break its pattern: {_names_in_words(unsure)}"] if unsure else []),
            *([f"optional, left out: {_names_in_words(optional)}"] if optional else []),
            *([f"the schema of its answer was left out: {answer.no_schema}"] if answer.no_schema else []),
        ),
    )


def _names_in_words(names: Sequence[str]) -> str:
    first_names = ", ".join(names[:12])
    return first_names if len(names) <= 12 else f"{first_names} and {len(names) - 12} more"


def _credentials(document: Document, variables: Variables, operation: dict[str, Any]) -> list[tuple[str, str, str]]:
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


def _expected(document: Document, schemas: AnswerSchemas, operation: Operation) -> _Answer:
    """The first promised status of success, else of a redirect; the first media type of its answer, and its schema."""
    responses = operation.keys.get("responses")
    responses = responses if isinstance(responses, dict) else {}
    for pattern in (r"2\d\d|2XX", r"3\d\d|3XX"):
        for key in (each for each in responses if re.fullmatch(pattern, str(each), re.IGNORECASE)):
            content = member_at(document.resolved(responses[key]), "content")
            names = [str(name) for name in content] if isinstance(content, dict) else []
            content_types = [name for name in names if media_type(name) and "*" not in name]
            statuses = (int(key),) if str(key).isdigit() else ()
            if not content_types:
                return _Answer(statuses)
            schema, no_schema = None, ""
            if is_json(content_types[0]):
                place = ["paths", operation.path, operation.method, "responses", str(key)]
                schema, no_schema = schemas.of(place, responses[key], content_types[0])
            return _Answer(statuses, media_type(content_types[0]), schema, no_schema)
    return _Answer()


KIND = SourceKind("openapi", "an OpenAPI document", lambda head: BEGINNING.search(head) is not None, read)
