"""JSON Schemas that answers have to fit: `expect.schema` of a workload file. Nothing is ever fetched."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

from fairtrial.base.json_or_yaml import BrokenDocument, TooManyValues, as_json, parse_json_or_yaml
from fairtrial.base.json_pointer import pointer_of, value_at
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.openapi_schema import as_json_schema

LARGEST_FILE_BYTES = 32 << 20
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


Validators = Callable[[bool], jsonschema_rs.Validator]
"""One that leaves formats alone, or one that checks them, for all schemas of a group. Each is compiled when asked for.
"""


class AnswerSchema:
    """A schema of a document. Patterns are searched in linear time, whatever an answer holds; `format` is a note, but
    where only the format tells which of several schemas is meant (`oneOf`).

    Attributes:
        accepts_anything: whether it is `true`, `{}` or holds nothing but notes.
    """

    def __init__(self, validators: Validators, pointer: str, *, accepts_anything: bool) -> None:
        self._validators, self._pointer = validators, pointer
        self.accepts_anything = accepts_anything

    def fault(self, value: Any) -> str | None:
        """The fault of a value, the first thing that is: `/items/3/id: "8" is not of type "integer"`."""
        error = self._first_error(value)
        if error is None:
            return None
        place = pointer_of(error.instance_path[1:]) or "the body"
        return f"{place}: {_cut(printable(error.message))}"

    def broken_keyword(self, value: Any) -> tuple[str, str] | None:
        """The same without the value, which may be a secret: the pointer, and the keyword that says so."""
        error = self._first_error(value)
        return None if error is None else (pointer_of(error.instance_path[1:]), error.kind.name)

    def _first_error(self, value: Any) -> jsonschema_rs.ValidationError | None:
        holder = {f"#{self._pointer}": value}
        plain = self._validators(False)
        if plain.is_valid(holder) or self._validators(True).is_valid(holder):
            return None
        return next(iter(_innermost(plain.iter_errors(holder))))


def _address(document: Any) -> str:
    return str(document["$id"]).rstrip("#") if _names_itself(document) else ADDRESS


class SchemaDocument:
    """A document that holds schemas."""

    def __init__(self, value: Any, dialect: str, *, checks_formats: bool = False) -> None:
        self._value, self._dialect, self._always_checks_formats = value, dialect, checks_formats
        self._registry: jsonschema_rs.Registry | None = None
        self._within: set[str] = set()
        """references that lead to nothing outside"""

    def schema(self, reference: str, where: str) -> AnswerSchema:
        """One of its schemas: see `schemas`.

        Raises:
            Problem: it cannot be used.
        """
        schema = self.schemas({reference: where})[reference]
        if isinstance(schema, Problem):
            raise schema
        return schema

    def schemas(self, references: Mapping[str, str]) -> dict[str, AnswerSchema | Problem]:
        """Schemas by their references, or why one cannot be used: the pointer leads nowhere, or the schema is broken,
        or needs another document.

        All are compiled as one: schemas that hold each other would be compiled again with each of them.

        Args:
            references: each ends in a JSON pointer into the document behind `#`, or is the document as a whole; by them
                what begins messages.
        """
        schemas: dict[str, AnswerSchema | Problem] = {}
        wheres: dict[str, str] = {}
        for reference, where in references.items():
            pointer = unquote(reference.partition("#")[2])
            try:
                self._assert_usable(pointer, where)
                wheres[pointer] = where
            except Problem as problem:
                schemas[reference] = problem
        groups = self._groups(wheres)
        for reference in [each for each in references if each not in schemas]:
            pointer = unquote(reference.partition("#")[2])
            group = groups[pointer]
            fits_all = _accepts_anything(value_at(self._value, pointer), lambda each: _resolved(self._value, each))
            schemas[reference] = (
                group if isinstance(group, Problem) else AnswerSchema(group, pointer, accepts_anything=fits_all)
            )
        return schemas

    def _assert_usable(self, pointer: str, where: str) -> None:
        try:
            subschema = value_at(self._value, pointer)
        except LookupError as error:
            raise Problem(
                f"{where}: {printable(str(error.args[0]), 120)}",
                'write FILE#/a/b, such as "openapi.yaml#/components/schemas/Item"',
            ) from error
        if not isinstance(subschema, dict | bool):
            raise Problem(f"{where}: is no schema", "name a place where an object stands")
        self._within |= _references_within(self._value, subschema, where, self._within)

    def _groups(self, wheres: Mapping[str, str]) -> dict[str, Validators | Problem]:
        """By pointer, the validators of the group that it is compiled with; of broken ones, why."""
        if not wheres:
            return {}
        validators = cache(partial(self._compiled, tuple(wheres)))
        try:
            validators(False)
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            if len(wheres) > 1:  # which one it is
                pointers = list(wheres)
                halves = pointers[: len(pointers) // 2], pointers[len(pointers) // 2 :]
                first, second = (self._groups({each: wheres[each] for each in half}) for half in halves)
                return first | second
            path = pointer_of(getattr(error, "schema_path", []))
            at = f"{path}: " if path else ""
            message = printable(getattr(error, "message", str(error)), 200)
            (pointer, where) = next(iter(wheres.items()))
            return {pointer: Problem(f"{where}: {at}{message}", "correct the schema, or name another one")}
        return dict.fromkeys(wheres, validators)

    def _compiled(self, pointers: Sequence[str], checks_formats: bool) -> jsonschema_rs.Validator:
        """One for all schemas: each for what stands in an object under `#` and its pointer."""
        address = _address(self._value)
        if self._registry is None:
            self._registry = jsonschema_rs.Registry([(address, self._value)])
        schemas = {f"#{pointer}": {"$ref": f"{address}#{quote(pointer, safe='/~')}"} for pointer in pointers}
        return jsonschema_rs.validator_for(
            {"$schema": self._dialect, "properties": schemas},
            registry=self._registry,
            validate_formats=checks_formats or self._always_checks_formats,
            pattern_options=jsonschema_rs.RegexOptions(),
        )


def read_schema_document(file: Path, where: str, parsed: Any = None) -> SchemaDocument:
    """A JSON Schema, or an OpenAPI document of Swagger 2.0, 3.0 or 3.1, in JSON or YAML.

    Args:
        where: begins messages: the workload file, its key and what it names.
        parsed: what the file holds, for who has parsed it: a large one takes long.

    Raises:
        Problem: it cannot be read, or is neither.
    """
    return _schema_document(_document(file, where, parsed), where)


def schemas_of_requests(document: Mapping[str, Any]) -> SchemaDocument:
    """An OpenAPI document whose schemas what is sent has to fit, and their formats.

    Raises:
        TooManyValues: it holds too many.
    """
    return SchemaDocument(as_json_schema(as_json(document, MOST_VALUES), "readOnly"), DIALECT, checks_formats=True)


def _schema_document(document: Any, where: str) -> SchemaDocument:
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


def _document(file: Path, where: str, parsed: Any) -> Any:
    try:
        if file.stat().st_size > LARGEST_FILE_BYTES:
            raise Problem(f"{where}: larger than {LARGEST_FILE_BYTES >> 20} MiB", "put the schema into a file apart")
        if parsed is None:
            parsed = parse_json_or_yaml(file.read_text(encoding="utf-8-sig"))
        return as_json(parsed, MOST_VALUES)
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
    if version.startswith("3.0") or "swagger" in document:
        return as_json_schema(document, "writeOnly")
    if not version.startswith("3.1"):
        raise Problem(f"{where}: openapi: {printable(version, 20)} is not read", "give a document of 3.0 or 3.1")
    dialect = document.get("jsonSchemaDialect", DIALECT)
    if dialect not in (DIALECT, DIALECT_OF_OPENAPI):
        raise Problem(
            f"{where}: jsonSchemaDialect: {printable(str(dialect), 120)} is not known",
            f"leave it out, or use {DIALECT}",
        )
    return document


def _references_within(document: Any, schema: Any, where: str, known_references: AbstractSet[str]) -> set[str]:
    """The references from a schema. With `$id`, addresses may be within: the library then looks for them.

    Args:
        known_references: are not followed.

    Raises:
        Problem: one leads out of the document.
    """
    references: set[str] = set()
    left = [schema]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left.extend(value)
        elif isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str) and reference not in references and reference not in known_references:
                references.add(reference)
                if not reference.startswith("#") and not _names_itself(document):
                    raise Problem(
                        f"{where}: $ref {printable(reference, 120)!r} leads out of the document; nothing is fetched",
                        "put it into one file first, for example with `npx @redocly/cli bundle openapi.yaml -o "
                        "whole.yaml`",
                    )
                left.append(_resolved(document, reference))
            left.extend(value.values())
    return references


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
        if not all(branches):  # more than one fits
            branches = []
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
