"""Values that a journey takes of answers and sends on: with letters that must be encoded, and what cannot be sent."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import pytest

from tests.command_line import Finished

Call = Callable[..., Finished]
FILE = """
[requests.make]
journey = "buy"
post = "/carts"
take = { id = "/id" }

[requests.fill]
journey = "buy"
put = "/carts/{{var id}}?of={{var id}}"
headers = { x-id = "{{var id}}" }
json = { id = "{{var id}}", text = "<{{var id}}>" }
"""


class Carts(BaseHTTPRequestHandler):
    """Gives the body of `made` to whoever makes a cart, and keeps what else comes."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    made: bytes
    heard: list[tuple[str, str, bytes]]

    def do_POST(self) -> None:
        self._answer(self.made)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.heard.append((self.path, self.headers["X-Id"], body))
        self._answer(b"{}")

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def carts(made: bytes) -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    heard: list[tuple[str, str, bytes]] = []
    handler = type("Handler", (Carts,), {"made": made, "heard": heard})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", heard
        server.shutdown()
        thread.join()


def bought(call: Call, made: bytes) -> tuple[dict[str, int], list[tuple[str, str, bytes]], str]:
    """Errors by kind, what came with the cart, and all that was said."""
    Path("buy.workload.toml").write_text(FILE)
    with carts(made) as (url, heard):
        options = ("-n", "3", "-c", "1", "--warmup", "0s", "--json", "load.json", "--plain")
        finished = call("load", "-f", "buy.workload.toml", url, *options)
    assert Path("load.json").exists(), finished.err
    text = Path("load.json").read_text()
    errors = {kind: count for kind, count in json.loads(text)["errors"].items() if count}
    return errors, heard, finished.out + finished.err + text


@pytest.mark.parametrize(
    "value",
    [
        "a/b c?d=e&f#g%2F+;",
        '"quoted" \\ back',
        "é ü 漢字 😀",
        "../..",
        "{{var id}}",
        "x" * 4000,
        "<script>",
        7,
        -1.5e3,
        True,
    ],
    ids=["delimiters", "quotes", "unicode", "dots", "braces", "long", "tags", "number", "exponent", "boolean"],
)
def test_a_value_arrives_as_it_was_wherever_it_is_sent(call: Call, value: str | float | bool) -> None:
    errors, heard, _ = bought(call, json.dumps({"id": value}).encode())
    assert not errors and len(heard) == 3
    spelled = value if isinstance(value, str) else json.dumps(value)
    for path, header, body in heard:
        place, query = path.removeprefix("/carts/").split("?of=")
        assert (unquote(place), unquote(query)) == (spelled, spelled)
        assert header.encode("latin-1").decode() == spelled
        assert json.loads(body) == {"id": value, "text": f"<{spelled}>"}


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (b'{"other": "s3cret"}', "nothing stands at /id"),
        (b'{"id": null}', "neither a text, nor a number, nor a boolean"),
        (b'{"id": {"s3cret": 1}}', "neither a text, nor a number, nor a boolean"),
        (b'{"id": "s3cret\\r\\nX-Evil: 1"}', "the value holds a control character"),
        (b'{"id": "' + b"s3cret" * 3000 + b'"}', "more than 16384 bytes"),
        (b'{"id": "s3cret\\ud800"}', ""),
        (b'{"id": "s3cret\xe9"}', "not UTF-8"),
        (b"", "no JSON"),
        (b'{"id": ["s3cret"]}', "neither a text, nor a number, nor a boolean"),
        (b'{"id": "s3cret"', "no JSON"),
        (b'{"id": ' + b"[" * 200_000, "no JSON"),
    ],
    ids=[
        "absent",
        "null",
        "object",
        "line",
        "too-long",
        "half-letter",
        "latin",
        "empty",
        "list",
        "cut",
        "deep",
    ],
)
def test_what_cannot_be_sent_ends_the_journey_and_is_shown_nowhere(call: Call, made: bytes, reason: str) -> None:
    errors, heard, said = bought(call, made)
    assert errors == {"wrong_body": 3} and not heard
    assert reason in said and "s3cret" not in said
