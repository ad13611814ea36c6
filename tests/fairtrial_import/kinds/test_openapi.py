"""OpenAPI documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.json_or_yaml import parse_json_or_yaml
from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.model import RequestEntry
from tests.fairtrial_import.imported import DATA, SECRET, Imported, import_to
from tests.lines import passage


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return import_to(tmp_path_factory.mktemp("shop"), DATA / "openapi.yaml")


def document(folder: Path, paths: Any, **more: Any) -> Path:
    file = folder / "openapi.json"
    file.write_text(json.dumps({"openapi": "3.0.3", "info": {"title": "t"}, "paths": paths} | more))
    return file


def operation(schema: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"/x": {"post": {"requestBody": {"content": content}, "responses": {}}}}


def test_operations(shop: Imported, snapshot: object) -> None:
    found = {name: f"{entry.method} {entry.path}" for name, entry in shop.model.entries().items()}
    uuid = "00000000-0000-4000-8000-000000000001"
    assert found == {
        "list-items": "GET /v1/items?page=3&tags=red&tags=so%20blue",
        "create-item": "POST /v1/items",
        "get-items-id": f"GET /v1/items/{uuid}",
        "put-items-id": f"PUT /v1/items/{uuid}",
        "post-login": "POST /v1/login",
    }
    assert shop.model.title == "The shop: an API"
    assert shop.comments == snapshot


def test_examples_first_then_the_plainest_value(shop: Imported, snapshot: object) -> None:
    assert shop.request("create-item").json_body == {
        "name": "a book",
        "kind": "book",
        "price": 0.5,
        "code": "AAA",
        "parts": [{"length": 5}],
        "since": "2026-01-01",
    }
    assert shop.comments == snapshot
    assert shop.request("put-items-id").body == snapshot


def test_security_schemes_become_variables(shop: Imported) -> None:
    headers = {name: entry.headers for name, entry in shop.model.entries().items()}
    assert headers["list-items"] == {"authorization": "Bearer {{env API_BEARER}}"}
    assert headers["create-item"]["x-shop-key"] == "{{env API_SHOP_KEY}}"
    assert headers["get-items-id"] == {}
    assert headers["put-items-id"] == {"content-type": "application/json"}  # an empty way in is enough
    assert headers["post-login"]["authorization"] == "Basic {{env API_BASIC}}"
    assert shop.request("post-login").body == "user=ann&password={{env API_PASSWORD}}"
    assert SECRET not in shop.text + shop.said


def test_expectations(shop: Imported) -> None:
    expected = {name: (entry.expect.statuses, entry.expect.type) for name, entry in shop.model.entries().items()}
    assert expected == {
        "list-items": ([200], "application/json"),
        "create-item": ([201], "application/json"),
        "get-items-id": ([], "application/json"),
        "put-items-id": ([204], None),
        "post-login": ([200], None),
    }


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 7}, 7),
        ({"type": "integer", "exclusiveMinimum": 7}, 8),
        ({"type": "integer", "minimum": 7, "exclusiveMinimum": True}, 8),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "integer", "minimum": 10, "multipleOf": 4}, 12),
        ({"type": "number", "maximum": 0.5}, 0.0),
        ({"type": "boolean"}, True),
        ({"type": "string", "minLength": 6}, "textte"),
        ({"type": "string", "maxLength": 2}, "te"),
        ({"type": "string", "format": "date-time"}, "2026-01-01T00:00:00Z"),
        ({"type": ["null", "string"], "enum": ["a", "b"]}, "a"),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 3}, [1, 1, 1]),
        ({"oneOf": [{"type": "null"}, {"required": ["a"], "properties": {"a": {"const": 5}}}]}, {"a": 5}),
        ({"required": ["b"], "properties": {"b": {"type": "string", "readOnly": True}}}, {}),
        ({"minProperties": 1, "properties": {"b": {"type": "integer"}, "c": {"type": "integer"}}}, {"b": 1}),
        ({"additionalProperties": {"type": "string"}}, {}),
        ({"maximum": 0}, 0),
        ({"description": "anything"}, {}),
        ({"example": {"{{x}}": "{{y}}"}}, {"{{x}}": "{{{{y}}"}),
    ],
)
def test_samples(tmp_path: Path, schema: Any, value: Any) -> None:
    (request,) = import_to(tmp_path, document(tmp_path, operation(schema))).model.entries().values()
    assert request.json_body == value


def test_what_has_no_success_is_expected_to_redirect(tmp_path: Path) -> None:
    paths = {
        "/a": {"get": {"responses": {"404": {}, "302": {}}}},
        "b": {"put": {"requestBody": {"content": {"x/y": {}}}}},
    }
    imported = import_to(tmp_path, document(tmp_path, paths, servers=[{"url": "v1/"}]))
    assert imported.request("get-a").expect.statuses == [302]
    assert imported.request("put-b").path == "/v1/b"
    assert "optional, left out: the body" in imported.comments


def test_a_schema_that_holds_itself_ends(tmp_path: Path) -> None:
    node = {"required": ["child"], "properties": {"child": {"$ref": "#/components/schemas/Node"}}}
    file = document(tmp_path, operation({"$ref": "#/components/schemas/Node"}), components={"schemas": {"Node": node}})
    assert "child" in import_to(tmp_path, file).text


def reference(target: str) -> dict[str, Any]:
    return operation({"$ref": target})


@pytest.mark.parametrize(
    ("text", "reason", "remedy"),
    [
        ("openapi: 3.0.0\npaths: [a: b\n", "not valid YAML", "correct the line"),
        ('{"openapi": "3.0.0",\n "paths": }', "line 2: not valid JSON", "correct the line"),
        ('swagger: "1.2"\n', "openapi: missing", "Swagger 2.0"),
        ('openapi: "3.20"\n', "openapi: 3.20", "3.0, 3.1 or 3.2"),
        ('openapi: "3.1.0"\n', "no request is left", "import what holds a request"),
        (reference("other.yaml#/Item"), "leads out of the document", "one file"),
        (reference("https://h/Item"), "leads out of the document", "one file"),
        (reference("#/components/none"), "leads nowhere", "correct the document"),
        (reference("#/paths/~1x/post/requestBody/content/application~1json/schema"), "in a circle", "correct"),
        (
            "openapi: 3.0.0\nx: &a [1,1,1,1,1,1,1,1,1]\ny: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nz: &c [*b,*b,*b,*b,*b,*b,*b]\n"
            "w: &d [*c,*c,*c,*c,*c,*c,*c,*c]\nv: &e [*d,*d,*d,*d,*d,*d,*d]\n"
            "u: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
            "paths: {/x: {post: {requestBody: {content: {application/json: {example: *f}}}}}}\n",
            "more than 200,000 values",
            "shorten it",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str | dict[str, Any], reason: str, remedy: str) -> None:
    file = tmp_path / "openapi.yaml"
    if isinstance(text, str):
        file.write_text(text)
    else:
        file = document(tmp_path, text)
    with pytest.raises(Problem) as caught:
        import_to(tmp_path, file)
    assert reason in caught.value.reason and remedy in caught.value.remedy
    assert file.name in caught.value.reason


def answering(schema: Any) -> dict[str, Any]:
    return {"/a%/{b}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}}}


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"$ref": "#/components/schemas/A"}, "/components/schemas/A"),
        ({"type": "array"}, "/paths/~1a%25~1{b}/get/responses/200/content/application~1json/schema"),
        ({}, None),
    ],
)
def test_schemas_of_answers_are_expected(tmp_path: Path, schema: Any, pointer: str | None) -> None:
    paths = answering(schema)
    paths["/a%/{b}"]["parameters"] = [{"name": "b", "in": "path", "required": True, "schema": {"type": "integer"}}]
    imported = import_to(tmp_path, document(tmp_path, paths, components={"schemas": {"A": {"type": "object"}}}))
    (entry,) = imported.model.entries().values()
    assert entry.expect.json_schema == (None if pointer is None else f"openapi.json#{pointer}")


def test_a_schema_that_cannot_be_used_is_left_out(tmp_path: Path, snapshot: object) -> None:
    paths = {"/a": answering({"$ref": "other.yaml#/a"})["/a%/{b}"]}
    imported = import_to(tmp_path, document(tmp_path, paths))
    (entry,) = imported.model.entries().values()
    assert entry.expect.json_schema is None
    assert imported.comments == snapshot


def parameter(**keys: Any) -> dict[str, Any]:
    return {"name": "p", "in": "query", "required": True, **keys}


def asked(folder: Path, *parameters: Any, path: str = "/x", **more: Any) -> RequestEntry:
    """The one request of a document with these parameters."""
    item = {"get": {"parameters": list(parameters), "responses": {}}}
    (request,) = import_to(folder, document(folder, {path: item}, **more)).model.entries().values()
    return request


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ({"example": ["a,b", "c"]}, "/x?p=a%2Cb&p=c"),
        ({"example": ["a", "b"], "explode": False}, "/x?p=a,b"),
        ({"example": ["a", "b"], "style": "pipeDelimited"}, "/x?p=a%7Cb"),
        ({"example": {"a": [1]}, "style": "deepObject", "explode": True}, "/x?p%5Ba%5D%5B0%5D=1"),
        ({"example": "/a?b=c&d", "allowReserved": True}, "/x?p=/a?b=c&d"),
        ({"content": {"application/json": {"example": {"a": 1}}}}, "/x?p=%7B%22a%22%3A1%7D"),
        (
            {"content": {"application/json": {"schema": {"type": "array", "items": {"const": "é"}}}}},
            "/x?p=%5B%22%C3%A9%22%5D",
        ),
        ({"content": {"text/plain": {"example": "a b"}}}, "/x?p=a%20b"),
        (
            {"in": "querystring", "content": {"application/x-www-form-urlencoded": {"example": {"a": [1, 2]}}}},
            "/x?a=1&a=2",
        ),
        ({"in": "querystring", "content": {"application/json": {"example": [1]}}}, "/x?%5B1%5D"),
        ({"examples": {"one": {"dataValue": "a"}}}, "/x?p=a"),
        ({"in": "header", "example": {"a": 1, "b": 2}, "explode": True}, "/x"),
    ],
)
def test_parameters_stand_as_their_style_has_it(tmp_path: Path, keys: dict[str, Any], path: str) -> None:
    request = asked(tmp_path, parameter(**keys))
    assert request.path == path
    assert request.headers == ({"p": "a=1,b=2"} if keys.get("in") == "header" else {})


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ({}, "/x/3,4.json"),
        ({"style": "label"}, "/x/.3,4.json"),
        ({"style": "matrix", "explode": True}, "/x/;p=3;p=4.json"),
    ],
)
def test_parameters_of_the_path(tmp_path: Path, keys: dict[str, Any], path: str) -> None:
    assert asked(tmp_path, parameter(**{"in": "path", "example": [3, 4]}, **keys), path="/x/{p}.json").path == path


def test_a_value_without_a_defined_style_is_told(tmp_path: Path, snapshot: object) -> None:
    item = {"get": {"parameters": [parameter(example={"a": {"b": 1}})]}}
    assert (
        passage(import_to(tmp_path, document(tmp_path, {"/x": item})).comments, "the specification has", "for it: p")
        == snapshot
    )


def body(media_type: str, **media: Any) -> dict[str, Any]:
    return {"post": {"requestBody": {"required": True, "content": {media_type: media}}}}


OBJECT = {"type": "object", "required": ["a"], "properties": {"a": {"const": 1}}}


@pytest.mark.parametrize(
    ("media_type", "schema", "content_type", "sent"),
    [
        ("*/*", OBJECT, None, {"a": 1}),
        ("application/*", OBJECT, None, {"a": 1}),
        ("application/*+json", OBJECT, None, {"a": 1}),
        ("application/vnd.shop.v2+json", OBJECT, "application/vnd.shop.v2+json", {"a": 1}),
        ("*/*", {"type": "string", "example": "x"}, "text/plain", "x"),
        ("text/*", {"example": "x"}, "text/plain", "x"),
    ],
)
def test_bodies_of_ranges_of_media_types(
    tmp_path: Path, media_type: str, schema: Any, content_type: str | None, sent: Any
) -> None:
    imported = import_to(tmp_path, document(tmp_path, {"/x": body(media_type, schema=schema)}))
    (request,) = imported.model.entries().values()
    assert sent in (request.json_body, request.body)
    assert request.headers.get("content-type") == content_type


def test_members_of_a_form_stand_as_their_encoding_has_it(tmp_path: Path) -> None:
    example = {"a": ["x y", "z"], "b": {"c": 1}, "d": ["1", "2"], "e": {"f": 2}, "g": "/h", "i": None, "j": [1, 2]}
    encoding = {
        "d": {"style": "spaceDelimited", "explode": False},
        "e": {"style": "deepObject", "explode": True},
        "g": {"allowReserved": True},
        "j": {"contentType": "application/json"},
    }
    paths = {"/x": body("application/x-www-form-urlencoded", example=example, encoding=encoding)}
    (request,) = import_to(tmp_path, document(tmp_path, paths)).model.entries().values()
    assert request.body == "a=x+y&a=z&b=%7B%22c%22%3A1%7D&d=1%202&e%5Bf%5D=2&g=/h&i=&j=%5B1%2C2%5D"


def test_what_a_form_of_texts_cannot_say_is_told(tmp_path: Path) -> None:
    encoding = {
        "a": {"contentType": "application/xml"},
        "b": {"headers": {"x-part": {}}},
        "c": {"contentType": "text/plain"},
    }
    example = dict.fromkeys("abcd", "x")
    paths = {"/x": body("multipart/form-data", example=example, encoding=encoding)}
    comments = import_to(tmp_path, document(tmp_path, paths)).comments
    assert "media type or headers of these parts, left out: a, b " in f"{comments} "


def test_reserved_characters_end_no_step_of_a_path(tmp_path: Path) -> None:
    described = parameter(**{"in": "path"}, allowReserved=True, example="a/b?c=d")
    assert asked(tmp_path, described, path="/x/{p}").path == "/x/a%2Fb%3Fc=d"


@pytest.mark.parametrize("name", ["openapi.json", "./openapi.json", "https://h/api/shop.yaml", "shop.yaml"])
def test_references_may_name_the_document_itself(tmp_path: Path, name: str) -> None:
    components = {"parameters": {"P": parameter(example="a")}}
    reference = {"$ref": f"{name}#/components/parameters/P"}
    more = {"$self": "https://h/api/shop.yaml", "components": components, "openapi": "3.2.0"}
    assert asked(tmp_path, reference, **more).path == "/x?p=a"


def test_a_variable_of_a_server_that_has_no_default_is_told(tmp_path: Path) -> None:
    imported = import_to(tmp_path, document(tmp_path, {"/x": {"get": {}}}, servers=[{"url": "https://h/{stage}"}]))
    assert imported.request("get-x").path == "/x"
    assert "left out of its server's address: stage" in imported.comments


@pytest.mark.parametrize(
    "broken",
    [
        parameter(example="a", schema={"$ref": "#/nowhere"}),
        parameter(name=["p"], example="a"),
        parameter(example={"a": 1}, schema={"required": [{}], "properties": {"a": {"readOnly": True}}}),
    ],
)
def test_what_is_broken_in_one_operation_keeps_no_other_out(tmp_path: Path, broken: Any) -> None:
    paths = {"/a": {"get": {"parameters": [broken]}}, "/b": {"get": {"parameters": [parameter(example="b")]}}}
    imported = import_to(tmp_path, document(tmp_path, paths))
    assert imported.request("get-b").path == "/b?p=b"


def test_servers_of_paths_and_operations(tmp_path: Path) -> None:
    paths = {
        "/own": {"get": {}},
        "/files": {"servers": [{"url": "https://H/upload/{v}/", "variables": {"v": {"default": "v3"}}}], "get": {}},
        "/near": {"get": {"servers": [{"url": "../v9"}]}},
        "/far": {"get": {"servers": [{"url": "https://far.example:8443/x"}]}, "post": {}},
    }
    file = document(tmp_path, paths, servers=[{"url": "https://h:443/v2"}, {"url": "https://second.example"}])
    imported = import_to(tmp_path, file)
    found = {name: f"{entry.method} {entry.path}" for name, entry in imported.model.entries().items()}
    assert found == {
        "get-own": "GET /v2/own",
        "get-files": "GET /upload/v3/files",
        "get-near": "GET /v9/near",
        "post-far": "POST /v2/far",
    }
    assert "Left out: 1 to far.example:8443" in imported.comments
    assert "GET /x/far" in {
        f"{entry.method} {entry.path}"
        for entry in import_to(tmp_path, file, hosts=["far.example"]).model.entries().values()
    }


def test_operations_fail_one_by_one(tmp_path: Path, snapshot: object) -> None:
    paths = {
        "/ok": {"get": {"responses": {"200": {"$ref": "answers.yaml#/Ok"}}}},
        "/body": {"post": {"requestBody": {"$ref": "bodies.yaml#/B"}}, "get": {}},
        "/parts": body("multipart/form-data", schema=OBJECT),
        "/bytes": body("*/*", schema={"type": "string", "format": "binary"}),
        "/xml": {"get": {"parameters": [parameter(content={"application/xml": {"schema": {}}})]}},
        "/styles": {"get": {"parameters": [parameter(style="comma")]}},
        "/path/{id}": {"get": {}},
        "/elsewhere": {"$ref": "paths.yaml#/a"},
        "/search": {"query": {}, "trace": {}, "additionalOperations": {"LINK": {}}},
    }
    imported = import_to(tmp_path, document(tmp_path, paths, openapi="3.2.0"))
    assert list(imported.model.entries()) == ["get-ok", "get-body", "post-parts"]
    assert imported.request("post-parts").multipart == {"a": "1"}
    assert imported.comments == snapshot


def test_a_document_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large one in YAML takes seconds each time; and it is parsed again when what was written is read."""
    content = {"application/json": {"schema": {"type": "object", "required": ["id"]}}}
    file = document(tmp_path, {"/x": {"get": {"responses": {"200": {"content": content}}}}})
    texts: list[str] = []

    def noting(text: str) -> Any:
        texts.append(text)
        return parse_json_or_yaml(text)

    for module in ("fairtrial_import.document", "fairtrial.experiment.workload_file.schema"):
        monkeypatch.setattr(f"{module}.parse_json_or_yaml", noting)
    imported = import_to(tmp_path, file)
    assert "schema = " in imported.text and texts == 2 * [file.read_text()]
