"""A document of Swagger 2.0 in the shape of OpenAPI 3.0, for the reader of that.

Only what a request is made of is changed (the migration guide of OpenAPI 3.0, and the Swagger 2.0 specification): the
host, parameters with their types, bodies and forms, answers by media type, and credentials. Definitions stay where they
are, so that references to them lead where they did.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial_import.bodies import FORM, JSON, MULTIPART
from fairtrial_import.document import ParsedDocument
from fairtrial_import.json_value import member_at, objects, text
from fairtrial_import.model import METHODS

OF_A_PARAMETER = frozenset({"name", "in", "required", "description", "allowEmptyValue", "collectionFormat"})
"""Its other keys say its type."""
STYLES: Mapping[str, Mapping[str, Any]] = {
    "csv": {"explode": False},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
    "multi": {"explode": True},
}
"""By `collectionFormat`."""


def as_openapi_3(document: ParsedDocument) -> ParsedDocument:
    """The document in the shape of OpenAPI 3.0. An operation whose parameters cannot be followed has the problem under
    the key `broken`."""
    root = document.root
    paths = {path: _path(document, item) for path, item in _table(root.get("paths")).items() if isinstance(item, dict)}
    schemes = {name: _scheme(each) for name, each in _table(root.get("securityDefinitions")).items()}
    replacements = {"servers": _servers(root), "paths": paths, "components": {"securitySchemes": schemes}}
    return ParsedDocument({**root, **replacements}, document.label, is_version_2=True)


def _servers(root: dict[str, Any]) -> list[dict[str, Any]]:
    schemes = root.get("schemes")
    preferred = next((each for each in ("https", "http") if isinstance(schemes, list) and each in schemes), "https")
    host, base = text(root.get("host")), text(root.get("basePath"))
    return [{"url": f"{preferred}://{host}{base}" if host else base}]


def _scheme(definition: Any) -> Any:
    if member_at(definition, "type") == "basic":
        return {"type": "http", "scheme": "basic"}
    return definition


def _path(document: ParsedDocument, item: dict[str, Any]) -> dict[str, Any]:
    """The entry of a path; what its parameters say stands with each operation."""
    shared = objects(item.get("parameters"))
    others = {key: each for key, each in item.items() if key not in (*METHODS, "parameters")}
    operations = {
        method: _operation(document, item[method], shared) for method in METHODS if isinstance(item.get(method), dict)
    }
    return {**others, **operations}


def _operation(document: ParsedDocument, operation: dict[str, Any], shared: Sequence[Any]) -> dict[str, Any]:
    root = document.root
    consumes, produces = (_names(operation.get(key, root.get(key))) for key in ("consumes", "produces"))
    replacements = {**operation, "parameters": [], "responses": _responses(document, operation, produces)}
    try:
        descriptions = [document.resolved(each) for each in (*shared, *objects(operation.get("parameters")))]
        by_name = {(each.get("name"), each.get("in")): each for each in descriptions if isinstance(each, dict)}
        parameters = list(by_name.values())
        replacements["parameters"] = [
            _parameter(each) for each in parameters if each.get("in") not in ("body", "formData")
        ]
    except Problem as problem:
        return {**replacements, "broken": problem}
    body = next((each for each in parameters if each.get("in") == "body"), None)
    form = [each for each in parameters if each.get("in") == "formData"]
    if body is not None:
        content = {name: {"schema": body.get("schema", {})} for name in consumes or [JSON]}
        replacements["requestBody"] = {"required": body.get("required") is True, "content": content}
    elif form:
        replacements["requestBody"] = {"required": True, "content": _form(form, consumes)}
    return replacements


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = {key: each for key, each in parameter.items() if key not in OF_A_PARAMETER and key[:2] != "x-"}
    name_and_place = {key: parameter.get(key) for key in ("name", "in", "required")}
    if schema.get("type") != "array":
        return {**name_and_place, "schema": schema}
    way = text(parameter.get("collectionFormat")) or "csv"
    if way == "csv" and parameter.get("in") in ("path", "header"):
        return {**name_and_place, "schema": schema}
    return {**name_and_place, "schema": schema, **STYLES.get(way, {"style": way})}


def _form(fields: Sequence[dict[str, Any]], consumes: Sequence[str]) -> dict[str, Any]:
    """A form of its required fields, or of all where none is, as one that asks for nothing would be empty."""
    parts = {text(each.get("name")): _parameter(each) for each in fields}
    required = [text(each.get("name")) for each in fields if each.get("required") is True]
    is_multipart = MULTIPART in consumes or any(each.get("type") == "file" for each in fields)
    properties = {name: _of_file(part["schema"]) for name, part in parts.items()}
    encoding = {name: {key: part[key] for key in ("style", "explode") if key in part} for name, part in parts.items()}
    schema = {"type": "object", "properties": properties, "required": required or list(properties)}
    rules = {name: {"style": "form", **each} for name, each in encoding.items() if each}
    return {MULTIPART if is_multipart else FORM: {"schema": schema, "encoding": rules}}


def _of_file(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": "string", "format": "binary"} if schema.get("type") == "file" else schema


def _responses(document: ParsedDocument, operation: dict[str, Any], produces: Sequence[str]) -> dict[str, Any]:
    """Answers, by media type where they have a schema or an example."""
    responses = {}
    for status, reference in _table(operation.get("responses")).items():
        try:
            answer = document.resolved(reference)
        except Problem:
            responses[str(status)] = reference  # it is told when it is read
            continue
        schema, examples = member_at(answer, "schema"), _table(member_at(answer, "examples"))
        names = [] if schema is None and not examples else produces or list(examples) or [JSON]
        holder = {} if schema is None else {"schema": schema}
        responses[str(status)] = {"content": dict.fromkeys(names, holder)}
    return responses


def _names(value: Any) -> list[str]:
    return [text(each) for each in value if text(each)] if isinstance(value, list) else []


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
