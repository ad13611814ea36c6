"""What is sent for an OpenAPI document fits the document, or a remark says where it does not."""

from pathlib import Path
from typing import Any

import pytest

from tests.fairtrial_import.imported import Imported, import_to
from tests.fairtrial_import.kinds.test_openapi import asked, body, document, operation, parameter
from tests.lines import passage

FORM = "application/x-www-form-urlencoded"


def imported(folder: Path, paths: Any, **more: Any) -> Imported:
    return import_to(folder, document(folder, paths, **more))


@pytest.mark.parametrize(
    ("schema", "remark"),
    [
        ({"example": {"size": "7"}, "properties": {"size": {"type": "integer"}}}, "/size (type)"),
        ({"example": {"code": "a"}, "properties": {"code": {"pattern": "^[0-9]{3}$"}}}, "/code (pattern)"),
        ({"example": {}, "required": ["name"]}, "the body (required)"),
        ({"example": "2026-01-01T00:00:00Z", "type": "string", "format": "date"}, "the body (format)"),
        (
            {"required": ["x"], "properties": {"x": {"type": "string", "pattern": "(?=a)a"}}},
            "(its schema cannot be used)",
        ),
        ({"oneOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, "the body (oneOf)"),
    ],
)
def test_what_breaks_its_schema_is_told_without_its_value(tmp_path: Path, schema: Any, remark: str) -> None:
    comments = imported(tmp_path, operation(schema)).comments
    assert "breaks its schema: " in comments and remark in comments


@pytest.mark.parametrize(
    "schema",
    [
        {"example": None, "type": "object", "nullable": True},
        {"required": ["id", "a"], "properties": {"id": {"readOnly": True, "type": "integer"}, "a": {"const": 1}}},
        {"type": "integer", "minimum": 7, "exclusiveMinimum": True},
        {"example": {"password": "SECRET-1"}, "properties": {"password": {"type": "string"}}},
    ],
)
@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_what_fits_its_schema_needs_no_remark(tmp_path: Path, schema: Any, version: str) -> None:
    assert "breaks its schema" not in imported(tmp_path, operation(schema), openapi=version).comments


def test_parameters_are_held_against_their_schemas(tmp_path: Path) -> None:
    parameters = [parameter(name="day", example="today", schema={"type": "string", "maxLength": 3})]
    comments = imported(tmp_path, {"/x": {"get": {"parameters": parameters}}}).comments
    assert "breaks its schema: day (maxLength)" in comments


def test_a_word_that_the_document_lists_is_no_secret(tmp_path: Path) -> None:
    schema = {
        "properties": {"secret_scanning": {"enum": ["enabled", "disabled"]}, "secret": {"type": "string"}},
        "example": {"secret_scanning": "enabled", "secret": "SECRET-1"},
    }
    (request,) = (
        imported(tmp_path, operation({"allOf": [schema]} | {"example": schema["example"]})).model.entries().values()
    )
    assert request.json_body == {"secret_scanning": "enabled", "secret": "{{env API_SECRET}}"}
    asked_for = asked(tmp_path, parameter(name="token_type", schema={"enum": ["bearer"]}))
    assert asked_for.path == "/x?token_type=bearer"


def test_headers_that_the_document_asks_for_are_sent(tmp_path: Path) -> None:
    names = ("User-Agent", "If-Match", "Referer", "Host", "Content-Length")
    request = asked(tmp_path, *(parameter(name=name, **{"in": "header"}, example="a") for name in names))
    assert request.headers == {"user-agent": "a", "if-match": "a", "referer": "a"}


def test_a_path_that_holds_a_query_gets_no_second_one(tmp_path: Path) -> None:
    assert asked(tmp_path, parameter(example=1), path="/x?method=list").path == "/x?method=list&p=1"


def test_a_fragment_of_a_path_is_not_sent(tmp_path: Path) -> None:
    assert asked(tmp_path, parameter(example=1), path="/x#Action=List").path == "/x?p=1"


def test_no_step_of_a_path_is_empty(tmp_path: Path) -> None:
    path = {"name": "p", "in": "path", "required": True, "example": ""}
    assert asked(tmp_path, path, path="/x/{p}/y").path == "/x/text/y"


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_optional_form_without_members_is_no_body(tmp_path: Path, method: str) -> None:
    content = {"content": {FORM: {"schema": {"type": "object", "properties": {"expand": {"type": "string"}}}}}}
    (request,) = imported(tmp_path, {"/x": {method: {"requestBody": content}}}).model.entries().values()
    assert request.body is None and request.headers == {}


def test_an_empty_object_that_has_to_be_sent_is_told(tmp_path: Path, snapshot: object) -> None:
    schema = {"type": "object", "required": ["shape"], "properties": {"shape": {"type": "object"}}}
    encoding = {"shape": {"style": "deepObject", "explode": True}}
    paths = {"/x": body(FORM, schema=schema, encoding=encoding)}
    assert passage(imported(tmp_path, paths).comments, "the specification has", "for it: shape") == snapshot


def test_a_change_is_no_list_of_operations_where_it_may_be_an_object(tmp_path: Path) -> None:
    media = {"schema": {"type": "object"}}
    content = {"application/json-patch+json": media, "application/merge-patch+json": media}
    paths = {"/x": {"patch": {"requestBody": {"required": True, "content": content}}}}
    (request,) = imported(tmp_path, paths).model.entries().values()
    assert request.headers["content-type"] == "application/merge-patch+json" and request.json_body == {}


def test_equal_weights_are_not_rounded(tmp_path: Path) -> None:
    paths = {f"/x{number}": {"get": {}} for number in range(1001)}
    file = document(tmp_path, paths)
    assert "thousandths" not in import_to(tmp_path, file, most=2000).comments


def test_statuses_that_promise_the_same_answer_are_expected(tmp_path: Path) -> None:
    answer = {"content": {"application/json": {"schema": {"type": "object"}}}}
    responses = {"200": answer, "201": answer, "202": {}, "204": {}, "404": answer}
    paths = {"/a": {"get": {"responses": responses}}, "/b": {"get": {"responses": {"202": {}, "204": {}, "2XX": {}}}}}
    entries = imported(tmp_path, paths).model.entries()
    assert [entry.expect.statuses for entry in entries.values()] == [[200, 201], [202, 204]]


def test_of_several_media_types_json_is_asked_for(tmp_path: Path) -> None:
    several = {"text/plain": {}, "application/json": {"schema": {"type": "object"}}, "text/json": {}}
    paths = {
        "/several": {"get": {"responses": {"200": {"content": several}}}},
        "/one": {"get": {"responses": {"200": {"content": {"text/csv": {}}}}}},
    }
    both = imported(tmp_path, paths)
    several_types, one_type = both.request("get-several"), both.request("get-one")
    assert several_types.headers == {"accept": "application/json"} and several_types.expect.type == "application/json"
    assert several_types.expect.json_schema is not None
    assert one_type.headers == {} and one_type.expect.type == "text/csv"
