"""Whether a JSON Schema constrains anything at all."""

from collections.abc import Callable
from typing import Any

DEFINITIONS = frozenset({"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary", "$defs", "definitions"})
NOTES = frozenset(
    {"$comment", "title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples", "example"}
)
CONTENT = frozenset({"format", "contentEncoding", "contentMediaType", "contentSchema"})
OF_OPENAPI = frozenset({"externalDocs", "xml", "discriminator", "nullable"})
BESIDE_OTHERS = frozenset({"if", "minContains"})
ANNOTATIONS = DEFINITIONS | NOTES | CONTENT | OF_OPENAPI | BESIDE_OTHERS
"""Keywords by which no answer is wrong: notes for people, definitions, and those that only matter beside others.
`format` is a note as well (JSON Schema 2020-12, Validation, 7.2.1)."""
BY_NAME = frozenset({"properties", "patternProperties", "dependentSchemas"})
IN_LIST = frozenset({"allOf", "anyOf", "prefixItems"})
OF_ITEMS = frozenset({"items", "additionalItems", "unevaluatedItems"})
OF_MEMBERS = frozenset({"additionalProperties", "unevaluatedProperties", "propertyNames"})
SINGLE = OF_ITEMS | OF_MEMBERS | {"then", "else"}
NOTHING: tuple[Any, ...] = ([], {}, 0, False)
NOTHING_IF_EMPTY = BY_NAME | {"required", "minItems", "minLength", "minProperties", "uniqueItems", "prefixItems"}


def accepts_anything(schema: Any, resolve: Callable[[str], Any]) -> bool:
    """Whether every answer fits a schema: `true`, `{}`, or one that holds nothing but notes.

    Args:
        resolve: the schema that a `$ref` names; None if that cannot be told.
    """
    return not _constrains(schema, resolve, frozenset())


def _constrains(schema: Any, resolve: Callable[[str], Any], references: frozenset[str]) -> bool:
    if not isinstance(schema, dict):
        return schema is not True
    return any(_keyword_constrains(key, value, resolve, references) for key, value in schema.items())


def _keyword_constrains(key: str, value: Any, resolve: Callable[[str], Any], references: frozenset[str]) -> bool:
    if key in ANNOTATIONS or key.startswith("x-"):
        return False
    if key == "$ref" and isinstance(value, str):
        target = None if value in references else resolve(value)
        return value not in references and (target is None or _constrains(target, resolve, references | {value}))
    inner = [_constrains(each, resolve, references) for each in _schemas_in(key, value)]
    if inner:
        return all(inner) if key == "anyOf" else any(inner)
    return key not in NOTHING_IF_EMPTY or value not in NOTHING


def _schemas_in(key: str, value: Any) -> list[Any]:
    """The schemas that a keyword holds, of the keywords that constrain only by these."""
    if key in BY_NAME and isinstance(value, dict):
        return list(value.values())
    if key in IN_LIST and isinstance(value, list):
        return value
    return [value] if key in SINGLE else []
