"""Schemas that answers have to fit: what they find, what they let pass, and what is said about unusable ones."""

import json
from pathlib import Path
from typing import Any

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
    ("document", "pointer", "value", "fault"),
    [
        (ITEM, "", {"id": 3.0, "more": [1]}, None),  # a whole number, and a member that nothing forbids
        (ITEM, "", {"id": 3.5}, '/id: 3.5 is not of type "integer"'),
        (ITEM, "", {}, 'the body: "id" is a required property'),
        ({**ITEM, "additionalProperties": False}, "", {"id": 1, "x": 2}, "the body: Additional properties are not "),
        (PAGE, "#/components/schemas/Page", [{"id": 1}] * 400, None),
        (PAGE, "#/components/schemas/Page", [{"id": 1}] * 399 + [{"id": "1"}], '/399/id: "1" is not of type "integer"'),
        (PAGE, "#%2Fcomponents/schemas/Item", [], 'the body: [] is not of type "object"'),
        ({"anyOf": [ITEM, {"type": "null"}]}, "", {"id": "x"}, '/id: "x" is not'),  # that of the one that was meant
        ({"anyOf": [ITEM, {"type": "null"}]}, "", {}, 'the body: "id" is a required property'),
        ({"$schema": DRAFT_4, "minimum": 3, "exclusiveMinimum": True}, "", 3, "the body: 3 is "),
        ({"$schema": DRAFT_7, "definitions": {"a": {"const": 1}}, "$ref": "#/definitions/a"}, "", 2, "the body: "),
        ({"$id": "http://x.y/a", "$defs": {"b": {"$id": "b", "const": 1}}, "$ref": "b"}, "", 2, "the body: "),
        ({"pattern": "^(a+)+$"}, "", "a" * 5000 + "b", "the body: "),  # at once: no pattern takes long
        ({"format": "date"}, "", "never", None),  # a note
        ("type: object\nproperties: {200: {const: 1}}\n", "", {"200": 2}, "/200: "),
        (OF_3_0, ITEM_OF_3_0, {"id": 1, "note": None, "of": None, "example": None, "strict": "a"}, None),
        (OF_3_0, ITEM_OF_3_0, {"id": 0}, "/id: 0 is less than or equal to the minimum of 0"),
        (OF_3_0, ITEM_OF_3_0, {"id": 1, "note": 7}, "/note: 7 is not of types"),
        (OF_3_0, ITEM_OF_3_0, {"id": 1, "of": {}}, '/of: "z" is a required property'),
        (OF_3_0, ITEM_OF_3_0, {"id": 1, "strict": None}, "/strict: null is not"),
        ({"openapi": "3.1.0", "a": {"type": ["string", "null"]}}, "#/a", None, None),
        ({"openapi": "3.1.0", "a": {"type": "string", "nullable": True}}, "#/a", None, "the body: null is not"),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, document: Any, pointer: str, value: Any, fault: str | None) -> None:
    found = schema(tmp_path, document, pointer).fault(value)
    assert found is None if fault is None else found is not None and found.startswith(fault), found


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
    ("document", "pointer", "said"),
    [
        ({"$ref": "http://127.0.0.1:1/a.json"}, "", "$ref 'http://127.0.0.1:1/a.json' leads out of the document"),
        ({"items": [{"$ref": "common.yaml#/x"}]}, "", "$ref 'common.yaml#/x' leads out of the document"),
        ({"$id": "http://x.y/a", "$ref": "http://127.0.0.1:1/b"}, "", "http://127.0.0.1:1/b"),
        ({"$ref": "#/nowhere"}, "", "/nowhere"),
        (PAGE, "#/components/schemas/Pages", "there is no 'Pages'"),
        (PAGE, "#components", "'components' is no JSON pointer"),
        ({"a": 7}, "#/a", "is no schema"),
        ({"type": "int"}, "", "/type: "),
        ({"properties": {"a": {"pattern": "(?=x)"}}}, "", "/properties/a/pattern: "),
        ({"$schema": "http://x.y/mine"}, "", "$schema: http://x.y/mine is not known"),
        ({"swagger": "2.0"}, "", "swagger: version 2 is not read"),
        ({"openapi": "3.1.0", "jsonSchemaDialect": "http://x.y/z"}, "", "jsonSchemaDialect: http://x.y/z is not known"),
        ('{"a": ', "", "line 1: not valid JSON"),
        ("[" * 300, "", "not valid YAML"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, document: Any, pointer: str, said: str) -> None:
    with pytest.raises(Problem) as caught:
        schema(tmp_path, document, pointer)
    assert caught.value.reason.startswith("KEY") and said in caught.value.reason and caught.value.remedy
