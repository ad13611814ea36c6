"""Schemas of OpenAPI 3.0 and of Swagger 2.0 as JSON Schema."""

from typing import Any

SCHEMAS_BY_NAME = frozenset({"properties", "patternProperties", "schemas", "definitions"})
"""Their keys are names, not keywords."""
DATA = frozenset({"example", "examples", "default", "enum", "const"})
"""They hold values, which are left as they are."""


def as_json_schema(document: Any, others: str) -> Any:
    """An OpenAPI document of version 3.0, or of Swagger 2.0, with its schemas as JSON Schema 2020-12, which they only
    resemble (OpenAPI 3.0.3, "Schema Object").

    - `nullable: true`, in Swagger `x-nullable`, allows null. Strictly it needs a `type` beside it; it is understood
      beside `$ref` and `allOf`, too, as that is what authors mean.
    - `exclusiveMinimum` and `exclusiveMaximum` are numbers there and booleans here.
    - Beside `$ref`, nothing else counts.
    - Of properties that are `writeOnly` none is required, as they are never answered; of what is sent, of those that
      are `readOnly` (`others`).
    """
    return _converted(document, others, are_names=False)


def _converted(value: Any, others: str, *, are_names: bool) -> Any:
    if isinstance(value, list):
        return [_converted(each, others, are_names=False) for each in value]
    if not isinstance(value, dict):
        return value
    if are_names:
        return {name: _converted(each, others, are_names=False) for name, each in value.items()}
    if isinstance(value.get("$ref"), str):
        reference = {"$ref": value["$ref"]}
        return _or_null(reference) if _may_be_null(value) else reference
    inner = {
        key: each if key in DATA else _converted(each, others, are_names=key in SCHEMAS_BY_NAME)
        for key, each in value.items()
    }
    return _adapted(inner, others)


def _adapted(schema: dict[str, Any], others: str) -> dict[str, Any]:
    """A schema whose inner ones are converted."""
    _bounds(schema, "minimum", "exclusiveMinimum")
    _bounds(schema, "maximum", "exclusiveMaximum")
    _require_no_others(schema, others)
    if not _may_be_null(schema):
        return schema
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return _or_null(schema) if schema.keys() & {"allOf", "anyOf", "oneOf"} else schema


def _may_be_null(schema: dict[str, Any]) -> bool:
    return True in (schema.get("nullable"), schema.get("x-nullable"))


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _bounds(schema: dict[str, Any], bound: str, exclusive: str) -> None:
    if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
        schema[exclusive] = schema.pop(bound)


def _require_no_others(schema: dict[str, Any], others: str) -> None:
    required, properties = schema.get("required"), schema.get("properties")
    if isinstance(required, list) and isinstance(properties, dict):
        names = {name for name, each in properties.items() if isinstance(each, dict) and each.get(others) is True}
        schema["required"] = [name for name in required if str(name) not in names]
