"""Setup requests against a server that gives one token for each login, and refuses all others."""

import gzip
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import client_of
from fairtrial.catalog.workloads.sent_requests import Scalar, sent_requests
from fairtrial.catalog.workloads.setup_requests import send_setup
from fairtrial.experiment.workload_file.read import WorkloadSource, read_workload_file

PASSWORD = 'open "sesame"'
FILE = """
defaults.headers.authorization = "Bearer {{var token}}"
rows.users = { file = "users.jsonl", pick = "once" }
[setup.login]
post = "/login?user={{row users name}}"
headers = { authorization = "" }
json = { password = "{{row users password}}" }
take = { token = "/access_token", number = "/number" }
[setup.cart]
post = "/carts"
expect = { status = 201, type = "text/plain" }
take = { cart = "header Location ~ /carts/([0-9]+)" }
[requests.order]
post = "/carts/{{var cart}}/orders/{{row users name}}"
json = { number = "{{var number}}", text = "no {{var number}} {{{{" }
expect.json = { "/cart" = "{{var cart}}" }
"""


class Shop(BaseHTTPRequestHandler):
    """Keeps the last token on the server."""

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path.startswith("/login"):
            if json.loads(content) != {"password": PASSWORD}:
                self.answer(401, {"error": f"not with {content.decode()}"})
                return
            tokens.append(f"t0ken/{len(tokens)}")
            self.answer(200, {"access_token": tokens[-1], "number": 7, "none": None, "line": "a\r\nb: c"})
        elif self.headers.get("authorization") == f"Bearer {tokens[-1]}" and "cookie" not in self.headers:
            self.answer(201, {}, "text/plain; charset=utf-8")
        else:
            self.answer(403, {"error": f"who is {self.headers.get('authorization')}?"})

    def answer(self, status: int, value: object, kind: str = "application/json") -> None:
        body = json.dumps(value).encode()
        if "accept-encoding" in self.headers:
            body = gzip.compress(body)
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("location", "http://shop/carts/42")
        self.send_header("set-cookie", "session=abc")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


tokens: list[str] = []


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def source_of(folder: Path, text: str = FILE, password: str = PASSWORD) -> WorkloadSource:
    rows = [{"name": "ann/a", "password": password}, {"name": "bob", "password": ""}]
    (folder / "users.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "shop.workload.toml").write_text(text)
    return read_workload_file(folder / "shop.workload.toml")


def variables_of(source: WorkloadSource, url: str) -> dict[str, Scalar]:
    return send_setup(source, client_of(url), environment={})


def test_each_request_uses_what_those_before_it_took(tmp_path: Path, url: str) -> None:
    variables = variables_of(source_of(tmp_path), url)
    assert variables == {"token": tokens[-1], "number": 7, "cart": "42"}


def test_they_ask_for_no_compression_which_nobody_here_would_undo(tmp_path: Path, url: str) -> None:
    source = source_of(tmp_path, f'defaults.headers.Accept-Encoding = "gzip"\n{FILE}')
    headers = [("accept-encoding", "gzip")]
    for more in ([], headers):
        assert send_setup(source, client_of(url), environment={}, headers=more)["token"] == tokens[-1]
    order = sent_requests(source, check_every=1, environment={}, variables={"token": "t", "number": 7, "cart": "42"})
    assert ("Accept-Encoding", "gzip") in order.requests[0].headers, "the engine undoes it"


def test_the_load_sends_the_values_and_takes_the_rows_behind_those_of_the_setup(tmp_path: Path) -> None:
    variables: dict[str, Scalar] = {"token": "t0ken/1", "number": 7, "cart": 'a/"'}
    sent = sent_requests(source_of(tmp_path), check_every=1, environment={}, variables=variables)
    (order,) = sent.requests
    assert order.path == "/carts/a%2F%22/orders/{{row users name}}"
    assert order.headers[0] == ("authorization", "Bearer t0ken/1")
    assert order.body == '{"number":7,"text":"no 7 {{{{"}'
    assert order.expect.body.model_dump()["values"] == {"/cart": '"a/\\""'}
    assert sent.rows["users"].skip == 1
    assert sent.secrets == {"var token": "t0ken/1"}, "nothing shorter than four characters is a credential"


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("/access_token", "/token"),
        ("/number", "/none"),
        ("/number", "/line"),
        ("Location ~ /carts", "Location ~ /trolleys"),
        ("header Location", "header X-Cart"),
        ("status = 201", "status = 200"),
        ("text/plain", "text/html"),
        ('expect = { status = 201, type = "text/plain" }', 'expect.json = { "/a" = 1 }'),
        ('"" }', '"", x = "1" }\nexpect.json = { "/number" = true }'),
        ('"" }', '"", x = "1" }\nexpect.json = { "/number" = 7.5 }'),
    ],
)
def test_an_answer_that_is_not_as_expected_is_refused(
    tmp_path: Path, url: str, written: str, instead: str, snapshot: object
) -> None:
    assert written in FILE
    with pytest.raises(Problem) as refused:
        variables_of(source_of(tmp_path, FILE.replace(written, instead)), url)
    assert refused.value.reason == snapshot and refused.value.remedy
    assert tokens[-1] not in refused.value.reason


def test_expected_values_are_compared_by_value(tmp_path: Path, url: str) -> None:
    variables_of(source_of(tmp_path, FILE.replace('"" }', '"" }\nexpect.json = { "/number" = 7.0 }')), url)


def test_what_a_server_quotes_is_shown_without_credentials(tmp_path: Path, url: str, snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        variables_of(source_of(tmp_path, password="s3cret"), url)
    assert str(refused.value) == snapshot
    assert "s3cret" not in refused.value.reason
    stale = FILE.replace(
        "expect = { status = 201", 'headers.authorization = "Basic {{var token}}"\nexpect = { status = 201'
    )
    with pytest.raises(Problem) as refused:
        variables_of(source_of(tmp_path, stale), url)
    assert str(refused.value) == snapshot
    assert tokens[-1] not in refused.value.reason


def test_a_server_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"setup\.login: no connection"):
        variables_of(source_of(tmp_path), "http://127.0.0.1:1")
