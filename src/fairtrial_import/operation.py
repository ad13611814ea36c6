"""The parameters and the body of one operation of an OpenAPI document."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from fairtrial_import.bodies import FORM, fits_toml, is_json, media_type
from fairtrial_import.document import Document
from fairtrial_import.json_value import member_at, text
from fairtrial_import.model import Body, FoundJson, TextBody
from fairtrial_import.sampler import ABSENT, Sampler
from fairtrial_import.template import literal, literal_json

SET_ELSEWHERE = frozenset({"accept", "content-type", "authorization"})
"""Header parameters that the document says by other keys (OpenAPI 3.1, Parameter Object)."""


class Unsupported(Exception):
    """An operation that cannot become a request; its text says why."""


@dataclass(frozen=True)
class Operation:
    """One operation; `shared` are the parameters of its path."""

    method: str
    path: str
    keys: dict[str, Any]
    shared: list[Any]


@dataclass
class Parameters:
    """Values for the parameters of an operation, encoded for where they stand."""

    path: str
    query: list[str] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)
    made_up: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)
    """names of those that were left out"""


@dataclass(frozen=True)
class SampledBody:
    """A body and its content type."""

    body: Body
    content_type: str
    made_up: list[str]
    unsure: list[str]


def parameters_of(document: Document, operation: Operation) -> Parameters:
    """Values for all required parameters.

    Raises:
        Problem: a reference cannot be followed.
        Unsupported: the path has a parameter that the document does not describe.
    """
    parameters = Parameters(operation.path)
    for parameter in _parameters(document, operation):
        name, place = text(parameter.get("name")), text(parameter.get("in"))
        if place == "header" and name.lower() in SET_ELSEWHERE:
            continue
        if place != "path" and parameter.get("required") is not True:
            parameters.optional.append(name)
            continue
        _add(parameters, place, name, parameter, _value(document, parameter, parameters))
    if "{" in parameters.path:
        raise Unsupported("as a parameter of its path is not described")
    return parameters


def _parameters(document: Document, operation: Operation) -> Iterator[dict[str, Any]]:
    """Those of the path, replaced by those of the operation with the same name and place."""
    values = operation.keys.get("parameters")
    resolved = [document.resolved(each) for each in [*operation.shared, *(values if isinstance(values, list) else [])]]
    by_name = {(each.get("name"), each.get("in")): each for each in resolved if isinstance(each, dict)}
    yield from by_name.values()


def _value(document: Document, parameter: dict[str, Any], parameters: Parameters) -> Any:
    sampler = Sampler(document)
    value = sampler.example(parameter)
    if value is ABSENT:
        content = parameter.get("content")
        first = next(iter(content.values()), None) if isinstance(content, dict) else None
        schema = parameter.get("schema", member_at(first, "schema"))
        value = sampler.of(schema if schema is not None else {}, text(parameter.get("name")))
    parameters.made_up += sampler.made_up
    parameters.unsure += sampler.unsure
    return value


def _add(parameters: Parameters, place: str, name: str, parameter: dict[str, Any], value: Any) -> None:
    """Put a value where it belongs, in the style that the document asks for (OpenAPI 3.1, Style Values)."""
    if place == "path":
        parameters.path = parameters.path.replace(f"{{{name}}}", quote(_simple(value), safe=""))
    elif place == "query":
        parameters.query += [
            f"{quote(each, safe='[]')}={quote(element, safe='')}" for each, element in _form(name, parameter, value)
        ]
    elif place == "header":
        parameters.headers.append((name, literal(_simple(value))))
    elif place == "cookie":
        parameters.cookies.append(f"{name}={literal(_simple(value))}")


def _form(name: str, parameter: dict[str, Any], value: Any) -> Iterator[tuple[str, str]]:
    explodes = parameter.get("explode", True) is True
    if isinstance(value, dict):
        for key, each in value.items():
            yield (f"{name}[{key}]" if parameter.get("style") == "deepObject" else key), _simple(each)
    elif isinstance(value, list) and explodes:
        for each in value:
            yield name, _simple(each)
    else:
        yield name, _simple(value)


def _simple(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: ""}[value]
    if isinstance(value, dict):
        return ",".join(f"{key},{_simple(each)}" for key, each in value.items())
    return ",".join(_simple(each) for each in value) if isinstance(value, list) else str(value)


def body_of(document: Document, operation: Operation) -> SampledBody | None:
    """The body: the document's example, or a sample of its schema; None if the operation has none.

    Raises:
        Problem: a reference cannot be followed.
        Unsupported: no media type of it can be made.
    """
    request_body = document.resolved(operation.keys.get("requestBody"))
    content = member_at(request_body, "content")
    if not isinstance(content, dict) or not content:
        return None
    for name, media in sorted(content.items(), key=lambda item: _preference(str(item[0]))):
        sampler = Sampler(document)
        body = _body(sampler, str(name), document.resolved(media))
        if body is not None:
            return SampledBody(body, str(name), sampler.made_up, sampler.unsure)
    if member_at(request_body, "required") is not True:
        return None
    raise Unsupported(f"as its body of {', '.join(str(name) for name in content)} cannot be made")


def _preference(name: str) -> int:
    if is_json(name):
        return 0
    return 1 if media_type(name) == FORM else 2


def _body(sampler: Sampler, name: str, media: Any) -> Body | None:
    if not isinstance(media, dict) or "*" in name:
        return None
    value = sampler.example(media)
    can_be_made = is_json(name) or media_type(name) == FORM or media_type(name).startswith("text/")
    if value is ABSENT and can_be_made:
        value = sampler.of(media.get("schema", {}), "")
    if is_json(name) and value is not ABSENT:
        return _json(_parsed(value))
    if media_type(name) == FORM and isinstance(value, dict):
        return TextBody(literal(urlencode([(key, _simple(each)) for key, each in value.items()])))
    return TextBody(literal(value)) if isinstance(value, str) and value else None


def _parsed(value: Any) -> Any:
    """An example that was written as a text of JSON, as that JSON."""
    try:
        parsed = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, dict | list) else value


def _json(value: Any) -> Body:
    """As TOML if that can hold it, else as text."""
    if fits_toml(value):
        return FoundJson(literal_json(value))
    return TextBody(literal(json.dumps(value, ensure_ascii=False)))
