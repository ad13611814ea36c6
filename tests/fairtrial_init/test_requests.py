"""What `init` asks a started service where nobody has said it: by the document that it serves, else by its source."""

import json
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fairtrial.catalog.stacks import run
from fairtrial_init import try_once
from tests.called_here import Call
from tests.command_line import Lab
from tests.lines import line_with, passage

SERVICE = """
import json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWERS = json.load(open("answers.json"))
PAGE = "<!DOCTYPE html><html><title>OperationalError at /</title><pre>no such table: \\x1b[2Jitem</pre></html>"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/":
            pass
        status, answer = ANSWERS.get(self.path, (404, {"no": self.path}))
        body = (PAGE if answer == "page" else json.dumps(answer)).encode()
        kind = "text/html" if answer == "page" else "application/json"
        head = f"HTTP/1.1 {status} X\\r\\nContent-Type: {kind}\\r\\nContent-Length: {len(body)}\\r\\n"
        if self.headers.get("connection") == "close":
            head += "Connection: close\\r\\n"
            self.close_connection = True
        print("answered", self.path, flush=True)
        self.wfile.write(head.encode() + b"\\r\\n" + body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
"""


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))  # where logs of what failed are kept
    monkeypatch.setattr(try_once, "LOAD_SECONDS", 0.2)
    monkeypatch.setattr(run, "PORT_FREE_WITHIN_SECONDS", 0.1)


def a_shop(lab: Lab, answers: dict[str, tuple[int, Any]], source: str = "") -> Path:
    folder = lab.folder / "shop"
    folder.mkdir()
    (folder / "app.py").write_text(SERVICE + source)
    (folder / "answers.json").write_text(json.dumps(answers))
    return folder


def requests_in(folder: Path) -> list[str]:
    workload = tomllib.loads((folder / "shop.workload.toml").read_text())
    return [each.get("get", "not GET") for each in workload["requests"].values()]


def operation(*parameters: str, schema: bool = False, **more: Any) -> dict[str, Any]:
    described = [{"name": name, "in": "path", "required": True, "schema": {"type": "integer"}} for name in parameters]
    content = {"application/json": {"schema": {"type": "object", "required": ["total"]}}}
    answer = {"description": "", "content": content} if schema else {"description": ""}
    return {"parameters": described, "responses": {"200": answer}, **more}


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/items": {"get": operation(schema=True), "post": operation()},
        "/items/{id}": {"get": operation("id")},
        "/orders/{id}": {"get": operation("id")},
        "/healthz": {"get": operation()},
        "/me": {"get": operation(security=[{"token": []}])},
    },
}


def test_the_document_of_the_started_service_is_imported(lab: Lab, call: Call) -> None:
    """GET requests alone, with schemas; not those whose made-up values nobody knows, or whose secret is not set."""
    answers = {
        "/items": {"total": 3},
        "/items/1": {},
        "/healthz": {},
        "/v3/api-docs": DOCUMENT,
        "/openapi.json": {"openapi": "x"},
    }
    folder = a_shop(lab, {path: (200, answer) for path, answer in answers.items()})

    finished = call("init", "shop", "--yes")

    assert finished.status == 0, finished.out + finished.err
    assert "/v3/api-docs of the started" in finished.out
    assert requests_in(folder) == ["/items", "/items/1"]
    text = (folder / "shop.workload.toml").read_text()
    assert "shop.served.openapi.json#/paths/~1items/get" in text
    words = " ".join(finished.out.split())
    assert "Left out: 1 request that may" in words and "such as POST /items." in words
    assert "Left out: GET /orders/1, as" in words and "and it answered 404" in words
    assert "Left out: GET /me, which" in words

    again = call("init", "shop", "--yes", "--force")
    assert again.status == 0 and "found: /v3/api-docs" in again.out, "the service is asked, not what it said before"


def test_requests_that_somebody_names_are_left_as_they_are(lab: Lab, call: Call) -> None:
    folder = a_shop(lab, {"/items": (200, {}), "/openapi.json": (200, DOCUMENT)})
    finished = call("init", "shop", "--yes", "--requests", "/items")
    assert finished.status == 0 and requests_in(folder) == ["/items"]
    assert "of the started service" not in finished.out


def test_without_a_document_the_paths_of_the_source_are_asked(lab: Lab, call: Call, snapshot: object) -> None:
    """Those of a router stand below its prefix, and parameters get a value."""
    folder = a_shop(lab, {"/api/items": (200, {}), "/api/items/1": (200, {})})
    (folder / "routes.js").write_text(
        "router.get('/items', a); router.get('/items/:id', b); router.get('/gone/:id', c);\napp.use('/api', router)\n"
    )
    (folder / "package.json").write_text(json.dumps({"scripts": {"start": "python3 app.py"}}))

    finished = call("init", "shop", "--yes", "--port", "PORT", "--command", "python3 app.py")

    assert finished.status == 0, finished.out + finished.err
    assert requests_in(folder) == ["/api/items", "/api/items/1"]
    taken = "paths of the source that are taken: /api/items, /api/items/1; without a right answer: 1 path of the source"
    assert taken in finished.out
    assert line_with((folder / "shop.workload.toml").read_text(), "The source also") == snapshot


def test_missing_tables_are_told_by_json_as_well(lab: Lab, call: Call) -> None:
    a_shop(lab, {"/": (500, {"error": 'relation "items" does not exist'})})
    finished = call("init", "shop", "--yes")
    assert finished.status == 3 and "add the migration to `build`" in finished.out, finished.out + finished.err


def test_a_page_of_html_is_told_by_its_title_with_the_end_of_the_log(lab: Lab, call: Call, snapshot: object) -> None:
    """And what it takes where tables are missing."""
    a_shop(lab, {"/": (500, "page")})

    finished = call("init", "shop", "--yes")

    assert finished.status == 3, finished.out + finished.err
    assert line_with(finished.out, "✗ get-root: status") == snapshot
    assert "add the migration to `build`" in finished.out and "DOCTYPE" not in finished.out
    assert "answered /" in finished.out
    assert passage(finished.out, "what it", "all of it:") == snapshot
    log = Path(finished.out.partition("all of it: ")[2].split()[0])
    assert "answered /" in log.read_text()
