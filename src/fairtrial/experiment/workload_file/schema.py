"""JSON Schemas that answers have to fit: `expect.schema` of a workload file. Nothing is ever fetched."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

from fairtrial.base.json_or_yaml import BrokenDocument, TooManyValues, as_json, parse_json_or_yaml
from fairtrial.base.json_pointer import pointer_of, value_at
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

LARGEST_FILE_BYTES = 8 << 20
MOST_VALUES = 1_000_000
LONGEST_FAULT_CHARACTERS = 160
"""Of a fault; a longer one is cut in its midst, as its value stands in front and its reason behind."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""That of documents that name none, and of OpenAPI 3.1."""
DIALECTS = (
    DIALECT,
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
)
DIALECT_OF_OPENAPI = "https://spec.openapis.org/oas/3.1/dialect/base"
"""2020-12 with further notes."""
ADDRESS = "urn:fairtrial:document"
"""The document's own, to which its references are relative."""

SCHEMAS_BY_NAME = frozenset({"properties", "patternProperties", "schemas"})
"""Their keys are names, not keywords."""
DATA = frozenset({"example", "examples", "default", "enum", "const"})
"""They hold values, which are left as they are."""

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


class AnswerSchema:
    """A compiled schema. Patterns are searched in linear time, whatever an answer holds; `format` is a note."""

    def __init__(self, document: Any, pointer: str, dialect: str, registry: jsonschema_rs.Registry) -> None:
        address = _address(document)
        self._validator = jsonschema_rs.validator_for(
            {"$schema": dialect, "$ref": f"{address}#{quote(pointer, safe='/~')}"},
            registry=registry,
            validate_formats=False,
            pattern_options=jsonschema_rs.RegexOptions(),
        )
        self.accepts_anything = _accepts_anything(value_at(document, pointer), lambda each: _resolved(document, each))
        """whether it is `true`, `{}` or holds nothing but notes"""

    def fault(self, value: Any) -> str | None:
        """The fault of a value, the first thing that is: `/items/3/id: "8" is not of type "integer"`."""
        if self._validator.is_valid(value):
            return None
        error = next(iter(_innermost(self._validator.iter_errors(value))))
        place = pointer_of(error.instance_path) or "the body"
        return f"{place}: {_cut(printable(error.message))}"


def _address(document: Any) -> str:
    return str(document["$id"]).rstrip("#") if _names_itself(document) else ADDRESS


class SchemaDocument:
    """A document that holds schemas."""

    def __init__(self, value: Any, dialect: str) -> None:
        self._value, self._dialect = value, dialect
        self._registry: jsonschema_rs.Registry | None = None
        """of the whole document: made once, as a document of some MiB has hundreds of schemas"""

    def schema(self, reference: str, where: str) -> AnswerSchema:
        """One of its schemas.

        Args:
            reference: ends in a JSON pointer into the document behind `#`, or is the document as a whole.
            where: begins messages.

        Raises:
            Problem: the pointer leads nowhere, or the schema cannot be used: it is broken, or needs another document.
        """
        pointer = unquote(reference.partition("#")[2])
        try:
            subschema = value_at(self._value, pointer)
        except LookupError as error:
            raise Problem(
                f"{where}: {printable(str(error.args[0]), 120)}",
                'write FILE#/a/b, such as "openapi.yaml#/components/schemas/Item"',
            ) from error
        if not isinstance(subschema, dict | bool):
            raise Problem(f"{where}: is no schema", "name a place where an object stands")
        _assert_within(self._value, subschema, where)
        try:
            if self._registry is None:
                self._registry = jsonschema_rs.Registry([(_address(self._value), self._value)])
            return AnswerSchema(self._value, pointer, self._dialect, self._registry)
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            path = pointer_of(getattr(error, "schema_path", []))
            at = f"{path}: " if path else ""
            message = printable(getattr(error, "message", str(error)), 200)
            raise Problem(f"{where}: {at}{message}", "correct the schema, or name another one") from error


def read_schema_document(file: Path, where: str) -> SchemaDocument:
    """A JSON Schema, or an OpenAPI document of 3.0 or 3.1, in JSON or YAML.

    Args:
        where: begins messages: the workload file, its key and what it names.

    Raises:
        Problem: it cannot be read, or is neither.
    """
    document = _document(file, where)
    dialect = DIALECT
    if isinstance(document, dict) and ("openapi" in document or "swagger" in document):
        document = _of_openapi(document, where)
    elif isinstance(document, dict) and "$schema" in document:
        dialect = str(document["$schema"])
        if dialect.rstrip("#") not in DIALECTS:
            raise Problem(f"{where}: $schema: {printable(dialect, 120)} is not known", f"use {DIALECT}")
    return SchemaDocument(document, dialect)


def schema_file(folder: Path, reference: str) -> Path:
    """Where the document of a reference lies."""
    return (folder / reference.partition("#")[0]).absolute()


def _document(file: Path, where: str) -> Any:
    try:
        if file.stat().st_size > LARGEST_FILE_BYTES:
            raise Problem(f"{where}: larger than {LARGEST_FILE_BYTES >> 20} MiB", "put the schema into a file apart")
        return as_json(parse_json_or_yaml(file.read_text(encoding="utf-8-sig")), MOST_VALUES)
    except OSError as error:
        raise Problem(f"{where}: {file}: {error.strerror}", "name a file that can be read") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{where}: not UTF-8 text", "convert it, for example with iconv") from error
    except BrokenDocument as error:
        raise Problem(f"{where}: {printable(str(error), 160)}", "correct the line") from error
    except TooManyValues as error:
        raise Problem(f"{where}: holds more than {MOST_VALUES:,} values", "put the schema into a file apart") from error


def _of_openapi(document: dict[str, Any], where: str) -> Any:
    version = str(document.get("openapi", ""))
    if version.startswith("3.0"):
        return _as_json_schema(document)
    if not version.startswith("3.1"):
        what = f"openapi: {printable(version, 20)}" if version else "swagger: version 2"
        raise Problem(f"{where}: {what} is not read", "convert it to 3.0 or 3.1: npx swagger2openapi swagger.yaml")
    dialect = document.get("jsonSchemaDialect", DIALECT)
    if dialect not in (DIALECT, DIALECT_OF_OPENAPI):
        raise Problem(
            f"{where}: jsonSchemaDialect: {printable(str(dialect), 120)} is not known",
            f"leave it out, or use {DIALECT}",
        )
    return document


def _assert_within(document: Any, schema: Any, where: str) -> None:
    """Refuse a reference out of the document. With `$id`, addresses may be within: the library then looks for them."""
    known_references: set[str] = set()
    left = [schema]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left.extend(value)
        elif isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str) and reference not in known_references:
                known_references.add(reference)
                if not reference.startswith("#") and not _names_itself(document):
                    raise Problem(
                        f"{where}: $ref {printable(reference, 120)!r} leads out of the document; nothing is fetched",
                        "put it into one file first, for example with `npx @redocly/cli bundle openapi.yaml -o "
                        "whole.yaml`",
                    )
                left.append(_resolved(document, reference))
            left.extend(value.values())


def _names_itself(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("$id"), str)


def _resolved(document: Any, reference: str) -> Any:
    """The target of a reference within the document; None for one by another way than a pointer."""
    try:
        return value_at(document, unquote(reference[1:])) if reference.startswith("#") else None
    except LookupError:
        return None


def _innermost(errors: Iterator[jsonschema_rs.ValidationError]) -> Iterator[jsonschema_rs.ValidationError]:
    """Each fault, or, of one that says that no alternative fits, what is wrong with the one that fits furthest."""
    for error in errors:
        branches = getattr(error.kind, "context", None) or []
        inner = [each for branch in branches for each in _innermost(iter(branch))]
        yield max([error, *inner], key=_tells)


def _tells(error: jsonschema_rs.ValidationError) -> tuple[int, bool]:
    """How much a fault tells: of the alternatives, one that fits further in, or at least in its type, was meant."""
    return len(error.instance_path), error.kind.name not in ("type", "anyOf", "oneOf")


def _cut(message: str) -> str:
    if len(message) <= LONGEST_FAULT_CHARACTERS:
        return message
    half = LONGEST_FAULT_CHARACTERS // 2
    return f"{message[: half - 1]}…{message[-half:]}"


def _as_json_schema(document: Any) -> Any:
    """An OpenAPI document of version 3.0 with its schemas as JSON Schema 2020-12, which they only resemble (OpenAPI
    3.0.3, "Schema Object").

    - `nullable: true` allows null. Strictly it needs a `type` beside it; it is understood beside `$ref` and `allOf`,
      too, as that is what authors mean.
    - `exclusiveMinimum` and `exclusiveMaximum` are numbers there and booleans here.
    - Beside `$ref`, nothing else counts.
    - Of properties that are `writeOnly` none is required, as they are never answered.
    """
    return _converted(document, are_names=False)


def _converted(value: Any, *, are_names: bool) -> Any:
    if isinstance(value, list):
        return [_converted(each, are_names=False) for each in value]
    if not isinstance(value, dict):
        return value
    if are_names:
        return {name: _converted(each, are_names=False) for name, each in value.items()}
    if isinstance(value.get("$ref"), str):
        reference = {"$ref": value["$ref"]}
        return _or_null(reference) if value.get("nullable") is True else reference
    inner = {
        key: each if key in DATA else _converted(each, are_names=key in SCHEMAS_BY_NAME) for key, each in value.items()
    }
    return _adapted(inner)


def _adapted(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose inner ones are converted."""
    _bounds(schema, "minimum", "exclusiveMinimum")
    _bounds(schema, "maximum", "exclusiveMaximum")
    _answered_only(schema)
    if schema.get("nullable") is not True:
        return schema
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return _or_null(schema) if schema.keys() & {"allOf", "anyOf", "oneOf"} else schema


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _bounds(schema: dict[str, Any], bound: str, exclusive: str) -> None:
    if isinstance(schema.get(exclusive), bool) and schema.pop(exclusive) and bound in schema:
        schema[exclusive] = schema.pop(bound)


def _answered_only(schema: dict[str, Any]) -> None:
    required, properties = schema.get("required"), schema.get("properties")
    if isinstance(required, list) and isinstance(properties, dict):
        sent_only = {
            name for name, each in properties.items() if isinstance(each, dict) and each.get("writeOnly") is True
        }
        schema["required"] = [name for name in required if name not in sent_only]


def _accepts_anything(schema: Any, resolve: Callable[[str], Any]) -> bool:
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
    if schemas := _schemas_in(key, value):
        enough = all if key == "anyOf" else any  # the first that tells ends it: schemas that hold each other are many
        return enough(_constrains(each, resolve, references) for each in schemas)
    return key not in NOTHING_IF_EMPTY or value not in NOTHING


def _schemas_in(key: str, value: Any) -> list[Any]:
    """The schemas that a keyword holds, of the keywords that constrain only by these."""
    if key in BY_NAME and isinstance(value, dict):
        return list(value.values())
    if key in IN_LIST and isinstance(value, list):
        return value
    return [value] if key in SINGLE else []
