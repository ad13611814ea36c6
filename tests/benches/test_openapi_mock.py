"""An OpenAPI document is imported, loaded against a server that answers by it, and every answer is verified."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benches.openapi_mock import OpenApiMock, Refused
from benches.openapi_server import MockServer
from tests.command_line import Finished
from tests.fairtrial_import.imported import import_to

FORM = "application/x-www-form-urlencoded"
NODE = {
    "type": "object",
    "required": ["id", "kind"],
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "kind": {"type": "string", "enum": ["leaf", "branch"]},
        "note": {"type": "string", "nullable": True, "maxLength": 5},
        "below": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        "either": {"oneOf": [{"type": "integer"}, {"type": "array", "items": {"type": "boolean"}}]},
    },
}
SHAPE = {"type": "object", "required": ["size"], "properties": {"size": {"type": "array", "items": {"type": "number"}}}}
ANSWER = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}}


def query(name: str, schema: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": True, "schema": schema, **more}


def sent(media_type: str, schema: Any, **more: Any) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema, **more}}}, "responses": ANSWER}


NUMBERS = {"type": "array", "items": {"type": "integer", "minimum": 3}, "minItems": 2}
PLAIN_FORM = {"type": "object", "required": ["ids", "a"], "properties": {"ids": NUMBERS, "a": {"type": "boolean"}}}
DEEP_FORM = {"type": "object", "required": ["shape"], "properties": {"shape": SHAPE}}
AS_DEEP = {"shape": {"style": "deepObject", "explode": True}}
PARAMETERS = [
    query("many", NUMBERS),
    query("few", NUMBERS, explode=False),
    query("bars", NUMBERS, style="pipeDelimited", explode=False),
    query("shape", SHAPE, style="deepObject", explode=True),
]
OF_3 = {
    "openapi": "3.0.3",
    "servers": [{"url": "https://h/{version}", "variables": {"version": {"default": "v2"}}}],
    "components": {"schemas": {"Node": NODE}},
    "paths": {
        "/nodes": {"get": {"parameters": PARAMETERS, "responses": ANSWER}, "post": sent("application/json", NODE)},
        "/nodes/{id}": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
            ],
            "delete": {"responses": {"204": {}}},
            "patch": sent("application/json", {"allOf": [{"$ref": "#/components/schemas/Node"}, {"minProperties": 1}]}),
        },
        "/forms": {"post": sent(FORM, PLAIN_FORM), "put": sent(FORM, DEEP_FORM, encoding=AS_DEEP)},
    },
}
OF_2 = {
    "swagger": "2.0",
    "basePath": "/v1",
    "consumes": ["*/*"],
    "definitions": {"Node": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}},
    "paths": {
        "/nodes": {
            "get": {
                "parameters": [
                    {"name": name, "in": "query", "required": True, "collectionFormat": way, **NUMBERS}
                    for name, way in (("a", "multi"), ("b", "csv"), ("c", "pipes"))
                ],
                "responses": {"200": {"schema": {"type": "array", "items": {"$ref": "#/definitions/Node"}}}},
            },
            "put": {
                "parameters": [{"name": "n", "in": "body", "required": True, "schema": {"$ref": "#/definitions/Node"}}],
                "responses": {"200": {"schema": {"$ref": "#/definitions/Node"}}, "201": {}},
            },
        },
    },
}


@pytest.fixture
def serve() -> Iterator[Callable[[Any], MockServer]]:
    servers: list[tuple[MockServer, threading.Thread]] = []

    def start(document: Any) -> MockServer:
        server = MockServer(OpenApiMock(document))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        servers.append((server, thread))
        thread.start()
        return server

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(("document", "number"), [(OF_3, 6), (OF_2, 2)])
def test_what_is_imported_is_allowed_and_every_answer_fits(
    tmp_path: Path, call: Callable[..., Finished], serve: Callable[[Any], MockServer], document: Any, number: int
) -> None:
    file = tmp_path / "api.json"
    file.write_text(json.dumps(document))
    imported = import_to(tmp_path, file)
    assert len(imported.model.entries()) == number, imported.comments
    server = serve(document)
    url = f"http://127.0.0.1:{server.server_address[1]}"
    finished = call("load", "-f", imported.file, "-n", str(30 * number), "-c", "2", url)
    assert finished.status == 0, (server.refusals, finished.out, finished.err)
    assert not server.refusals
    assert len(server.operations) == number and sum(server.operations.values()) == 30 * number


@pytest.mark.parametrize(
    ("method", "url", "body"),
    [
        ("GET", "/v2/none", b""),
        ("GET", "/v2/nodes?many=3&many=4&few=3,4&bars=3%7C4", b""),  # shape is missing
        ("GET", "/v2/nodes?many=3&many=4&few=3&few=4&bars=3%7C4&shape[size][0]=1", b""),
        ("GET", "/v2/nodes?many=1&many=4&few=3,4&bars=3%7C4&shape[size][0]=1", b""),  # below the minimum
        ("DELETE", "/v2/nodes/7", b""),
        ("POST", "/v2/nodes", b'{"kind": "tree"}'),
        ("POST", "/v2/nodes", b""),
        ("POST", "/v2/nodes", b"{"),
        ("POST", "/v2/forms", b"ids=3&ids=4&a=true"),  # of another media type
    ],
)
def test_what_is_not_allowed_is_refused(method: str, url: str, body: bytes) -> None:
    with pytest.raises(Refused):
        OpenApiMock(OF_3).check(method, url, {"content-type": "application/json"}, body)
