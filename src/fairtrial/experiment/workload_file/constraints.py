"""Whether a JSON Schema constrains anything at all."""

from collections.abc import Callable
from typing import Any

ANNOTATIONS = frozenset(
    "$schema $id $anchor $dynamicAnchor $comment $vocabulary $defs definitions title description default deprecated "
    "readOnly writeOnly examples example format contentEncoding contentMediaType contentSchema externalDocs xml "
    "discriminator nullable if minContains".split()
)
"""Keywords by which no answer is wrong: notes for people, definitions, and those that only matter beside others.
`format` is a note as well (JSON Schema 2020-12, Validation, 7.2.1)."""
EACH_BY_NAME = frozenset({"properties", "patternProperties", "dependentSchemas"})
EACH_IN_LIST = frozenset({"allOf", "prefixItems"})
ONE_OF_LIST = frozenset({"anyOf"})
SINGLE = frozenset(
    "items additionalProperties unevaluatedItems unevaluatedProperties propertyNames additionalItems then else".split()
)
EMPTY_IF = {"required": [], "minItems": 0, "minLength": 0, "minProperties": 0, "uniqueItems": False}


def accepts_anything(schema: Any, resolve: Callable[[str], Any]) -> bool:
    """Whether every answer fits a schema: `true`, `{}`, or one that holds nothing but notes.

    Args:
        resolve: the schema that a `$ref` names; None if that cannot be told.
    """
    return not _constrains(schema, resolve, frozenset())


def _constrains(schema: Any, resolve: Callable[[str], Any], seen: frozenset[str]) -> bool:
    if not isinstance(schema, dict):
        return schema is not True
    return any(_keyword_constrains(key, value, resolve, seen) for key, value in schema.items())


def _keyword_constrains(key: str, value: Any, resolve: Callable[[str], Any], seen: frozenset[str]) -> bool:
    def inner(schema: Any) -> bool:
        return _constrains(schema, resolve, seen)

    if key in ANNOTATIONS or key.startswith("x-"):
        return False
    if key == "$ref" and isinstance(value, str):
        target = None if value in seen else resolve(value)
        return value not in seen and (target is None or _constrains(target, resolve, seen | {value}))
    if key in EACH_BY_NAME and isinstance(value, dict):
        return any(map(inner, value.values()))
    if key in EACH_IN_LIST and isinstance(value, list):
        return any(map(inner, value))
    if key in ONE_OF_LIST and isinstance(value, list):
        return all(map(inner, value))
    if key in SINGLE:
        return inner(value)
    return key not in EMPTY_IF or value != EMPTY_IF[key]
