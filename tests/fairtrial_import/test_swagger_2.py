"""Documents of Swagger 2.0: the same requests as the same API has in OpenAPI 3.0."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairtrial.experiment.workload_file.schema import read_schema_document
from tests.fairtrial_import.imported import Imported, import_to
from tests.lines import passage

ITEM = {
    "type": "object",
    "required": ["id", "note"],
    "properties": {"id": {"type": "integer", "example": 7}, "note": {"type": "string", "x-nullable": True}},
}
IDS = {"type": "array", "items": {"type": "integer"}, "default": [1, 2]}
TWO: dict[str, Any] = {
    "swagger": "2.0",
    "info": {"title": "Shop", "version": "1"},
    "host": "shop.example:8443",
    "basePath": "/v1",
    "schemes": ["http", "https"],
    "consumes": ["application/json"],
    "produces": ["application/json", "application/xml"],
    "securityDefinitions": {
        "basic": {"type": "basic"},
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "oauth": {"type": "oauth2", "flow": "implicit", "authorizationUrl": "https://shop.example/", "scopes": {}},
    },
    "security": [{"key": []}],
    "parameters": {"Page": {"name": "page", "in": "query", "type": "integer", "required": True, "minimum": 3}},
    "responses": {"Item": {"description": "it", "schema": {"$ref": "#/definitions/Item"}}},
    "definitions": {"Item": ITEM},
    "paths": {
        "/items": {
            "parameters": [{"$ref": "#/parameters/Page"}],
            "get": {
                "parameters": [
                    {"name": "csv", "in": "query", "required": True, **IDS},
                    {"name": "pipes", "in": "query", "required": True, "collectionFormat": "pipes", **IDS},
                    {"name": "multi", "in": "query", "required": True, "collectionFormat": "multi", **IDS},
                    {"name": "X-Ids", "in": "header", "required": True, **IDS},
                    {"name": "rare", "in": "query", "type": "string"},
                ],
                "responses": {"200": {"schema": {"type": "array", "items": {"$ref": "#/definitions/Item"}}}},
            },
            "post": {
                "security": [{"basic": []}],
                "parameters": [
                    {"name": "item", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Item"}},
                    {"name": "page", "in": "query", "type": "integer"},
                ],
                "responses": {"201": {"$ref": "#/responses/Item"}},
            },
        },
        "/login": {
            "post": {
                "security": [],
                "consumes": ["application/x-www-form-urlencoded"],
                "parameters": [
                    {"name": "user", "in": "formData", "type": "string", "required": True, "default": "ann b"},
                    {"name": "roles", "in": "formData", "required": True, **IDS},
                    {"name": "more", "in": "formData", "type": "string"},
                ],
                "responses": {"204": {"description": "in"}},
            }
        },
        "/note": {
            "post": {
                "security": [{"oauth": []}],
                "consumes": ["multipart/form-data"],
                "parameters": [{"name": "note", "in": "formData", "type": "string", "default": "a"}],
                "responses": {"default": {"description": "any"}},
            }
        },
        "/photo": {
            "post": {
                "parameters": [{"name": "photo", "in": "formData", "type": "file", "required": True}],
                "responses": {"201": {"description": "stored"}},
            }
        },
        "/tabs": {
            "get": {
                "parameters": [{"name": "a", "in": "query", "required": True, "collectionFormat": "tsv", **IDS}],
                "responses": {"200": {"description": "any"}},
            }
        },
        "/nowhere": {"get": {"parameters": [{"$ref": "#/parameters/Nowhere"}], "responses": {}}},
    },
}


def answers(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {name: {"schema": schema} for name in ("application/json", "application/xml")}}


def query(name: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": True, "schema": schema, **more}


OF_FORM = {"user": {"type": "string", "default": "ann b"}, "roles": IDS, "more": {"type": "string"}}
PAGE = query("page", {"type": "integer", "minimum": 3})
THREE: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "https://shop.example:8443/v1"}],
    "components": {
        "schemas": {"Item": ITEM},
        "securitySchemes": {
            "basic": {"type": "http", "scheme": "basic"},
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "oauth": {"type": "oauth2"},
        },
    },
    "security": [{"key": []}],
    "paths": {
        "/items": {
            "get": {
                "parameters": [
                    PAGE,
                    query("csv", IDS, explode=False),
                    query("pipes", IDS, style="pipeDelimited", explode=False),
                    query("multi", IDS),
                    {"name": "X-Ids", "in": "header", "required": True, "schema": IDS},
                    {"name": "rare", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": {"200": answers({"type": "array", "items": {"$ref": "#/components/schemas/Item"}})},
            },
            "post": {
                "security": [{"basic": []}],
                "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer"}}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}},
                },
                "responses": {"201": answers({"$ref": "#/components/schemas/Item"})},
            },
        },
        "/login": {
            "post": {
                "security": [],
                "requestBody": {
                    "content": {
                        "application/x-www-form-urlencoded": {
                            "schema": {"type": "object", "required": ["user", "roles"], "properties": OF_FORM},
                            "encoding": {"roles": {"style": "form", "explode": False}},
                        }
                    }
                },
                "responses": {"204": {}},
            }
        },
        "/note": {
            "post": {
                "security": [{"oauth": []}],
                "requestBody": {
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "type": "object",
                                "required": ["note"],
                                "properties": {"note": {"type": "string", "default": "a"}},
                            }
                        }
                    }
                },
                "responses": {},
            }
        },
    },
}


def imported(folder: Path, document: dict[str, Any]) -> Imported:
    folder.mkdir()
    file = folder / "api.json"
    file.write_text(json.dumps(document))
    return import_to(folder, file)


def keys(result: Imported) -> dict[str, Any]:
    """What is sent, and what is expected but for the place of a schema."""
    entries = {name: entry.model_dump(mode="json") for name, entry in result.model.entries().items()}
    for entry in entries.values():
        entry["expect"].pop("json_schema", None)
    return entries


def test_the_same_api_has_the_same_requests(tmp_path: Path) -> None:
    two, three = imported(tmp_path / "two", TWO), imported(tmp_path / "three", THREE)
    assert keys(two) == keys(three)
    get = two.request("get-items")
    assert get.path == "/v1/items?page=3&csv=1,2&pipes=1%7C2&multi=1&multi=2" and get.headers["X-Ids".lower()] == "1,2"
    assert two.request("post-items").json_body == {"id": 7, "note": "text"}
    assert two.request("post-login").body == "user=ann+b&roles=1,2"
    assert two.request("post-note").multipart == {"note": "a"}
    for result in (two, three):
        for name in ("API_KEY", "API_BASIC", "API_OAUTH"):
            assert f"{{{{env {name}}}}}" in result.text


def test_what_cannot_be_made_is_left_out_one_by_one(tmp_path: Path, snapshot: object) -> None:
    comments = imported(tmp_path / "two", TWO).comments
    assert passage(comments, "POST /photo: its", "be made") == snapshot
    assert passage(comments, "GET /tabs: its", "or style") == snapshot
    assert "GET /nowhere: $ref '#/parameters/Nowhere': leads nowhere" in comments


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ([{"id": 1, "note": "a"}], True),
        ([{"id": 1, "note": None}], True),
        ([{"id": "1", "note": "a"}], False),
        ([{"note": "a"}], False),
    ],
)
def test_answers_have_to_fit_its_schemas(tmp_path: Path, answer: Any, *, is_right: bool) -> None:
    result = imported(tmp_path / "two", TWO)
    reference = result.request("get-items").expect.json_schema
    assert reference is not None and reference.endswith("#/paths/~1items/get/responses/200/schema")
    schema = read_schema_document(tmp_path / "two" / "api.json", "x").schema(f"#{reference.partition('#')[2]}", "x")
    assert (schema.fault(answer) is None) == is_right
