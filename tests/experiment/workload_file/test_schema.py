"""Schemas that answers have to fit: what they find, what they let pass, and what is said about unusable ones."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.schema import AnswerSchema, read_schema_document

DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
ITEM = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}
PAGE = {"components": {"schemas": {"Item": ITEM, "Page": {"items": {"$ref": "#/components/schemas/Item"}}}}}
OF_3_0 = {
    "openapi": "3.0.3",
    "paths": {"/items/{id}": {"get": {"schema": {"$ref": "#/components/schemas/Item"}}}},
    "components": {
        "schemas": {
            "Item": {
                "type": "object",
                "required": ["id", "secret"],
                "properties": {
                    "id": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
                    "note": {"type": "string", "nullable": True},
                    "of": {"$ref": "#/components/schemas/Other", "nullable": True},
                    "secret": {"type": "string", "writeOnly": True},
                    "example": {"type": "string", "nullable": True},
                    "strict": {"type": "string", "enum": ["a"], "example": {"nullable": True}},
                },
            },
            "Other": {"type": "object", "required": ["z"]},
        }
    },
}
ITEM_OF_3_0 = "#/paths/~1items~1{id}/get/schema"


def schema(folder: Path, document: Any, pointer: str = "") -> AnswerSchema:
    file = folder / "item.schema.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return read_schema_document(file, "KEY").schema(f"{file.name}{pointer}", "KEY")


@pytest.mark.parametrize(
    ("document", "pointer", "value", "fits"),
    [
        (ITEM, "", {"id": 3.0, "more": [1]}, True),  # a whole number, and a member that nothing forbids
        (ITEM, "", {"id": 3.5}, False),
        (ITEM, "", {}, False),
        ({**ITEM, "additionalProperties": False}, "", {"id": 1, "x": 2}, False),
        (PAGE, "#/components/schemas/Page", [{"id": 1}] * 400, True),
        (PAGE, "#/components/schemas/Page", [{"id": 1}] * 399 + [{"id": "1"}], False),
        (PAGE, "#%2Fcomponents/schemas/Item", [], False),
        ({"anyOf": [ITEM, {"type": "null"}]}, "", {"id": "x"}, False),  # that of the one that was meant
        ({"anyOf": [ITEM, {"type": "null"}]}, "", {}, False),
        ({"$schema": DRAFT_4, "minimum": 3, "exclusiveMinimum": True}, "", 3, False),
        ({"$schema": DRAFT_7, "definitions": {"a": {"const": 1}}, "$ref": "#/definitions/a"}, "", 2, False),
        ({"$id": "http://x.y/a", "$defs": {"b": {"$id": "b", "const": 1}}, "$ref": "b"}, "", 2, False),
        ({"pattern": "^(a+)+$"}, "", "a" * 5000 + "b", False),  # at once: no pattern takes long
        ({"format": "date"}, "", "never", True),  # a note
        ("type: object\nproperties: {200: {const: 1}}\n", "", {"200": 2}, False),
        (OF_3_0, ITEM_OF_3_0, {"id": 1, "note": None, "of": None, "example": None, "strict": "a"}, True),
        (OF_3_0, ITEM_OF_3_0, {"id": 0}, False),
        (OF_3_0, ITEM_OF_3_0, {"id": 1, "note": 7}, False),
        (OF_3_0, ITEM_OF_3_0, {"id": 1, "of": {}}, False),
        (OF_3_0, ITEM_OF_3_0, {"id": 1, "strict": None}, False),
        ({"openapi": "3.1.0", "a": {"type": ["string", "null"]}}, "#/a", None, True),
        ({"openapi": "3.1.0", "a": {"type": "string", "nullable": True}}, "#/a", None, False),
        ({"oneOf": [{"format": "date"}, {"format": "date-time"}]}, "", "2026-01-01", True),  # tells which one
        ({"oneOf": [{"format": "date"}, {"format": "date-time"}]}, "", "never", False),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c"]}]}, "", {"a": 1, "b": 2}, False),
    ],
)
def test_what_is_wrong_is_found(
    tmp_path: Path, document: Any, pointer: str, value: Any, fits: bool, snapshot: object
) -> None:
    fault = schema(tmp_path, document, pointer).fault(value)
    assert (fault is None) == fits and fault == snapshot


def test_a_long_value_does_not_hide_the_reason(tmp_path: Path) -> None:
    fault = schema(tmp_path, ITEM).fault("x" * 5000)
    assert fault is not None and len(fault) < 200 and fault.endswith('is not of type "object"')


@pytest.mark.parametrize(
    ("document", "accepts"),
    [
        ({}, True),
        ("true", True),
        ({"title": "x", "properties": {}, "required": []}, True),
        ({"allOf": [{}, {"anyOf": [{"type": "null"}, {}]}]}, True),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"items": {"x-mine": 1}}}}, True),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"a": {"$ref": "#/$defs/a"}}}}}, True),
        ("false", False),
        ({"properties": {"id": {"type": "integer"}}}, False),
        ({"anyOf": [{"type": "null"}, {"minimum": 1}]}, False),
        ({"minItems": 1}, False),
        ({"additionalProperties": False}, False),
        ({"not": {}}, False),
    ],
)
def test_a_schema_that_accepts_anything_is_known(tmp_path: Path, document: Any, accepts: bool) -> None:
    assert schema(tmp_path, document).accepts_anything == accepts


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ({"$ref": "http://127.0.0.1:1/a.json"}, ""),
        ({"items": [{"$ref": "common.yaml#/x"}]}, ""),
        ({"$id": "http://x.y/a", "$ref": "http://127.0.0.1:1/b"}, ""),
        ({"$ref": "#/nowhere"}, ""),
        (PAGE, "#/components/schemas/Pages"),
        (PAGE, "#components"),
        ({"a": 7}, "#/a"),
        ({"type": "int"}, ""),
        ({"properties": {"a": {"pattern": "(?=x)"}}}, ""),
        ({"$schema": "http://x.y/mine"}, ""),
        ({"openapi": "3.2.0"}, ""),
        ({"openapi": "3.1.0", "jsonSchemaDialect": "http://x.y/z"}, ""),
        ('{"a": ', ""),
        ("[" * 300, ""),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, document: Any, pointer: str, snapshot: object) -> None:
    with pytest.raises(Problem) as caught:
        schema(tmp_path, document, pointer)
    assert caught.value.reason == snapshot and caught.value.remedy


def test_schemas_that_hold_each_other_are_compiled_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def counting(schema: Any, **options: Any) -> jsonschema_rs.Validator:
        calls.append(schema)
        return compile_one(schema, **options)

    compile_one = jsonschema_rs.validator_for
    monkeypatch.setattr(jsonschema_rs, "validator_for", counting)
    references = [{"$ref": f"#/$defs/s{number}"} for number in range(40)]
    definitions = {
        f"s{number}": {"type": "object", "properties": {"next": {"anyOf": references}}} for number in range(40)
    }
    file = tmp_path / "item.schema.json"
    file.write_text(json.dumps({"$defs": definitions}))
    schemas = read_schema_document(file, "KEY").schemas({f"#/$defs/{name}": name for name in definitions})
    assert all(isinstance(each, AnswerSchema) and each.fault({"next": {}}) is None for each in schemas.values())
    assert len(calls) == 1
    assert all(isinstance(each, AnswerSchema) and each.fault({"next": 7}) for each in schemas.values())
    assert len(calls) == 2  # with formats, of which a fault must not be one


def test_of_many_schemas_the_broken_ones_are_told(tmp_path: Path) -> None:
    definitions: dict[str, Any] = {f"s{number}": {"type": "string"} for number in range(9)} | {"bad": {"type": "text"}}
    file = tmp_path / "item.schema.json"
    file.write_text(json.dumps({"$defs": definitions}))
    references = [*definitions, "none"]
    schemas = read_schema_document(file, "KEY").schemas({f"#/$defs/{name}": f"of {name}" for name in references})
    problems = {reference: each.reason for reference, each in schemas.items() if isinstance(each, Problem)}
    assert set(problems) == {"#/$defs/bad", "#/$defs/none"}
    assert problems["#/$defs/bad"].startswith("of bad: ") and problems["#/$defs/none"].startswith("of none: ")
    fine = schemas["#/$defs/s8"]
    assert isinstance(fine, AnswerSchema) and fine.fault("a") is None and fine.fault(8) is not None
