"""`fairtrial load -f`: the requests of a workload file, with all options of a load."""

import json
import secrets
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine.plan import EnginePlan, JsonBody
from fairtrial.tools.load.request.options import USUAL_SERVER, LoadOptions
from fairtrial.tools.load.request.translate import to_engine_plan
from fairtrial.tools.load.request.values import Header
from tests.command_line import Finished
from tests.experiment.workload_file.files import shop
from tests.tools.load.conftest import Listener, Target

TWO = """
rows.items = { file = "items.csv", pick = "sequential" }
[requests.look]
weight = 3
get = "/items/{{row items id}}"
headers = { x-key = "{{env KEY}}", x-name = "{{row items name}}" }
[requests.order]
post = "/orders"
json = { item = "{{row items id}}", say = "<{{row items name}}>" }
"""
KEY = "k3y-of-the-shop"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KEY", KEY)
    return shop(tmp_path, TWO, 'id,name\n7,"a ""b"""\n8,c\n')


def plan_of(target: Target, file: Path, **options: Any) -> EnginePlan:
    return to_engine_plan(LoadOptions(url=f"http://{target.address}/", file=file, **options))[1]


def test_a_file_takes_the_place_of_the_request(target: Target, file: Path) -> None:
    plan = plan_of(target, file, connections=3, headers=[Header("X-Key", "mine {{x}}"), Header("host", "shop")])
    assert [request.name for request in plan.requests] == ["look", "order"]
    assert plan.requests[0].headers == [("x-name", "{{row items name}}"), ("X-Key", "mine {{{{x}}")]
    assert plan.requests[0].expect.check_every == 1 and plan.requests[0].acknowledge is None
    assert (plan.load.connections, plan.host, plan.secrets) == (3, "shop", {"KEY": KEY})
    assert list(plan.rows) == ["items"]
    assert KEY not in plan.to_json(), "the only place that names it is a header that -H has replaced"


def test_cookies_are_kept_as_the_file_says_by_who_waits_for_answers(target: Target, file: Path) -> None:
    assert plan_of(target, file).cookies is None
    file.write_text('cookies = "journey"\n' + TWO)
    assert plan_of(target, file).cookies == "journey"
    with pytest.raises(Problem, match="cookies: nobody has an answer"):
        plan_of(target, file, pipeline=2)


def test_a_value_that_is_expected_is_expected_of_each_answer(target: Target, file: Path) -> None:
    file.write_text(TWO + 'expect.json = { "/item" = "{{row items id}}" }\n')
    assert plan_of(target, file).requests[1].expect.body == JsonBody(values={"/item": "{{row items id json}}"})


@pytest.mark.parametrize(
    "options",
    [
        {"method": "PUT"},
        {"body": "x"},
        {"template": True},
        {"expect_status": (200,)},
        {"expect_body": "x"},
        {"expect_length": 0},
        {"url": "http://127.0.0.1:1/api"},
        {"file": Path("none.toml")},
    ],
)
def test_what_does_not_go_with_a_file(file: Path, options: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        to_engine_plan(LoadOptions(**{"url": "http://127.0.0.1:1/", "file": file} | options))
    assert refused.value.reason == snapshot and refused.value.remedy


def test_without_a_url_a_file_is_for_the_server_that_stacks_are_by_default(file: Path) -> None:
    assert LoadOptions(file=file).url == USUAL_SERVER
    with pytest.raises(Problem, match="there is no URL"):
        LoadOptions()


def test_a_mix_is_sent_and_reported_by_request(listener: Listener, file: Path, call: Callable[..., Finished]) -> None:
    finished = call("load", "-f", file, "-n", "40", "-c", "2", "--json", "load.json", listener.url)
    assert finished.status == 0, finished.err
    by_path = {request.path for request in listener.received}
    assert by_path == {"/items/7", "/items/8", "/orders"}
    looks = [request for request in listener.received if request.method == "GET"]
    orders = [json.loads(request.body) for request in listener.received if request.method == "POST"]
    assert (len(looks), len(orders)) == (30, 10)
    assert {request.headers["x-key"] for request in looks} == {KEY}
    assert {request.headers["x-name"] for request in looks} == {'a "b"', "c"}
    assert {(order["item"], order["say"]) for order in orders} <= {(7, '<a "b">'), (8, "<c>")}
    lines = finished.out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("look", "order"))] == ["look", "order"]
    assert KEY not in finished.out + finished.err + Path("load.json").read_text()


STATE = """
reset.command = ["true"]
[audit.stored]
command = ["true"]
equals = 0
[requests.look]
get = "/"
[requests.strict]
get = "/"
expect.status = 200
[requests.loose]
get = "/"
expect.schema = "loose.json"
"""


def test_what_load_leaves_out_and_what_meets_any_answer_is_said(
    call: Callable[..., Finished], serve: Callable[..., Target], file: Path
) -> None:
    (file.parent / "loose.json").write_text("{}")
    file.write_text(STATE)
    url = f"http://{serve('--body', '{}').address}/"
    finished = call("load", "-f", file, "-n", "6", "-c", "1", "--json", "load.json", "--html", "load.html", url)
    file.write_text("requests.strict = { get = '/', expect.status = 200 }")
    quiet = call("load", "-f", file, "-n", "1", "-c", "1", url)
    notes = [
        f"load sends requests only; of {file.name}, `fairtrial run` alone heeds: reset, audit",
        "look: any answer with 2xx (gRPC: OK) is right, as the file expects nothing of it",
        "loose: its schema accepts any answer",
    ]
    lines = [line.removeprefix("note: ") for line in finished.out.splitlines() if line.startswith("note: ")]
    assert lines == notes, finished.err
    assert json.loads(Path("load.json").read_text())["notes"] == notes
    assert "its schema accepts any answer" in Path("load.html").read_text()
    assert quiet.status == 0 and "note: " not in quiet.out


def test_rows_that_run_out_end_the_load(
    target: Target, file: Path, call: Callable[..., Finished], monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(TWO.replace("sequential", "once"))
    finished = call("load", "-f", file, "-n", "40", f"http://{target.address}/")
    assert finished.status == 2
    assert "each of its 2 rows was" in finished.err and 'pick = "sequential"' in finished.err


def test_an_answer_that_quotes_a_secret_is_shown_without_it(
    call: Callable[..., Finished], serve: Callable[..., Target], file: Path
) -> None:
    file.write_text(TWO.replace("[requests.order]", 'expect.text = "x"\n[requests.order]'))
    quoting = serve("--body", f"you are {KEY}")
    finished = call("load", "-f", file, "-n", "4", "--json", "load.json", f"http://{quoting.address}/")
    assert finished.status == 3
    assert "you are {{env KEY}}" in finished.out
    assert KEY not in finished.out + finished.err + Path("load.json").read_text()


def test_setup_requests_are_sent_first_and_their_variables_are_not_shown(
    call: Callable[..., Finished], serve: Callable[..., Target], file: Path
) -> None:
    token = "t0ken-of-a-login"
    file.write_text(
        '[setup.login]\npost = "/login"\ntake.token = "/token"\n'
        '[requests.look]\nget = "/"\nheaders.x-token = "{{var token}}"\nexpect.json = { "/token" = "another" }\n'
    )
    login = serve("--body", f'{{"token": "{token}"}}')
    finished = call("load", "-f", file, "-n", "4", "--json", "load.json", f"http://{login.address}/")
    assert finished.status == 4, "no answer is right"
    assert "{{var token}}" in finished.out
    assert token not in finished.out + finished.err + Path("load.json").read_text()
    assert login.stop()["requests"] >= 5

    refusing = serve("--status", "401")
    finished = call("load", "-f", file, "-n", "4", f"http://{refusing.address}/")
    assert finished.status != 0 and "status 401, not a 2xx" in finished.err
    assert refusing.stop()["requests"] == 1, "no load is offered"


JOURNEY = """
[requests.order]
journey = "buy"
post = "/orders"
take.id = "header Server ~ ^(BaseHTTP)"
[requests.pay]
journey = "buy"
post = "/orders/{{var id}}/payment"
[requests.look]
get = "/"
"""


def test_a_journey_is_sent_by_one_user_and_has_its_own_line(
    listener: Listener, file: Path, call: Callable[..., Finished]
) -> None:
    file.write_text(JOURNEY)
    outputs = ("--json", "load.json", "--html", "load.html")
    finished = call("load", "-f", file, "-n", "20", "-c", "2", *outputs, listener.url)
    assert finished.status == 0, finished.err
    paths = [request.path for request in listener.received]
    assert {path: paths.count(path) for path in paths} == {"/orders": 10, "/orders/BaseHTTP/payment": 10, "/": 10}
    assert next(line.split()[2:4] for line in finished.out.splitlines() if line.startswith("buy")) == ["0", "0"]
    assert "By journey" in Path("load.html").read_text()
    (journey,) = json.loads(Path("load.json").read_text())["journeys"]
    assert (journey["name"], journey["count"], journey["completed"], journey["unfinished"]) == ("buy", 10, 10, 0)


EACH = """
rows.users = { file = "items.csv", pick = "sequential" }
[setup.login]
per = "connection"
post = "/login/{{row users id}}"
body_file = "items.csv"
take.token = "/token"
[setup.cart]
per = "connection"
post = "/carts"
headers.x-token = "{{var token}}"
take.cart = "header Location ~ /carts/([0-9a-f]+)"
[requests.look]
weight = 3
get = "/carts/{{var cart}}"
headers.x-token = "{{var token}}"
expect.text = "ok"
[requests.order]
post = "/carts/{{var cart}}"
json = { token = "{{var token}}" }
headers.x-token = "{{var token}}"
"""


class EachItsOwn(BaseHTTPRequestHandler):
    """Knows no token and no cart but those of the connection itself, and closes it behind some answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    logins: ClassVar[list[str]] = []
    refused: ClassVar[list[str]] = []
    quotes = False

    def setup(self) -> None:
        super().setup()
        self.token, self.cart, self.left = f"t0ken-{secrets.token_hex(8)}", secrets.token_hex(4), 12

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path.startswith("/login/"):
            assert content.startswith("id,name")
            self.logins.append(self.path)
            self.answer(200, json.dumps({"token": self.token}))
        elif self.path == "/carts":
            self.answer(200 if self.is_known() else 401, "")
        else:
            self.answer(200 if self.is_known() and json.loads(content) == {"token": self.token} else 401, "")

    def do_GET(self) -> None:
        right = self.is_known() and self.path == f"/carts/{self.cart}"
        self.answer(200 if right else 401, f"no {self.token}" if self.quotes else "ok")

    def is_known(self) -> bool:
        return self.headers["x-token"] == self.token

    def answer(self, status: int, text: str) -> None:
        if status != 200:
            self.refused.append(self.path)
        self.left -= 1
        self.close_connection = self.close_connection or not self.left
        close = "Connection: close\r\n" if self.close_connection else ""
        head = f"HTTP/1.1 {status} X\r\nLocation: /carts/{self.cart}\r\nContent-Length: {len(text)}\r\n{close}\r\n"
        self.wfile.write((head + text).encode())

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def each() -> Iterator[tuple[str, type[EachItsOwn]]]:
    handler = type("Handler", (EachItsOwn,), {"logins": [], "refused": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", handler
        server.shutdown()
        thread.join()


def test_each_connection_logs_in_for_itself_and_again_when_it_was_closed(
    call: Callable[..., Finished], each: tuple[str, type[EachItsOwn]], file: Path
) -> None:
    url, handler = each
    file.write_text(EACH)
    finished = call("load", "-f", file, "-n", "100", "-c", "3", "--json", "load.json", url)
    assert finished.status == 0, finished.out + finished.err
    assert handler.refused == [], "no connection sends the token of another"
    assert {"/login/7", "/login/8"} == set(handler.logins)
    # Ten requests of the load on each connection, behind the two of its setup.
    assert len(handler.logins) >= 10
    written = Path("load.json").read_text()
    assert "t0ken-" not in written + finished.out + finished.err


def test_the_values_of_a_connection_are_not_shown_where_an_answer_quotes_them(
    call: Callable[..., Finished], each: tuple[str, type[EachItsOwn]], file: Path
) -> None:
    url, handler = each
    handler.quotes = True
    file.write_text(EACH)
    finished = call("load", "-f", file, "-n", "20", "-c", "2", "--json", "load.json", url)
    assert "no {{var token}}" in finished.out
    assert "t0ken-" not in Path("load.json").read_text() + finished.out + finished.err


def test_a_login_that_fails_fails_the_load_and_says_why(
    call: Callable[..., Finished], each: tuple[str, type[EachItsOwn]], file: Path
) -> None:
    file.write_text(EACH.replace('"/token"', '"/tokens"'))
    finished = call("load", "-f", file, "-n", "4", "-c", "1", each[0])
    assert finished.status != 0
    assert "nothing stands at /tokens" in finished.out
    assert "t0ken-" not in finished.out + finished.err


def test_one_request_is_thought_about(call: Callable[..., Finished], target: Target, file: Path) -> None:
    """With a long think time behind one of two, the client sends few; with one of 0 it sends on."""
    mix = '[requests.a]\nget = "/a"\n[requests.b]\nget = "/b"\nthink = "THINK"\n'
    sent = {}
    for think in ("0 ms", "1 h"):
        file.write_text(mix.replace("THINK", think))
        finished = call(
            "load",
            "-f",
            file,
            "-d",
            "200ms",
            "--warmup",
            "0",
            "-c",
            "1",
            "--json",
            "load.json",
            f"http://{target.address}/",
        )
        assert finished.status == 0, finished.err
        mixed = json.loads(Path("load.json").read_text())["mix"]
        sent[think] = [share["sent"] for share in mixed]
    assert sent["1 h"] == [1, 1] and min(sent["0 ms"]) > 10


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('[requests.a]\nget = "/"\nthink = "1 s"\n', {"rate": 10.0}),
        ('[requests.a]\nget = "/"\nthink = "1 s"\n', {"pipeline": 2}),
        (EACH, {"pipeline": 2}),
        (EACH, {"no_keepalive": True}),
    ],
)
def test_what_does_not_go_with_the_requests_of_a_file(
    target: Target, file: Path, text: str, options: dict[str, Any], snapshot: object
) -> None:
    file.write_text(text)
    with pytest.raises(Problem) as refused:
        plan_of(target, file, **options)
    assert refused.value.reason == snapshot and refused.value.remedy
