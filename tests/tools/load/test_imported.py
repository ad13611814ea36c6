"""What was imported is a load that can be offered."""

import json
import random
from collections.abc import Callable
from email.parser import BytesParser
from email.policy import HTTP as HTTP_POLICY
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from tests.command_line import Finished, Lab
from tests.fairtrial_import.imported import DATA
from tests.tools.load.conftest import Listener

HTTP = """
GET http://shop.example/items?page=1
Authorization: Bearer {{token}}

### order
POST http://shop.example/orders
Content-Type: application/json
Authorization: Bearer {{token}}

{"item": {{$randomInt 1 4}}, "note": "a \\"fine\\" one [[x]]", "password": "SECRET"}
"""


def test_a_file_of_requests(
    lab: Lab,
    call: Callable[..., Finished],
    listener: Listener,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("requests.http").write_text(HTTP)
    assert call("import", "requests.http", "-o", "shop.workload.toml").status == 0
    monkeypatch.setenv("API_TOKEN", "tok-1")
    monkeypatch.setenv("API_PASSWORD", 'p"w')
    finished = call("load", "-f", "shop.workload.toml", "-n", "20", "-c", "1", listener.url)
    assert finished.status == 0, finished.out + finished.err
    paths = {(request.method, request.path) for request in listener.received}
    assert paths == {("GET", "/items?page=1"), ("POST", "/orders")}
    assert {request.headers["authorization"] for request in listener.received} == {"Bearer tok-1"}
    orders = [json.loads(request.body) for request in listener.received if request.path == "/orders"]
    assert {order.pop("item") for order in orders} <= {1, 2, 3}  # numbers, as in the file
    assert orders[0] == {"note": 'a "fine" one [[x]]', "password": 'p"w'}


def test_a_form_of_curl_arrives_part_by_part(call: Callable[..., Finished], listener: Listener) -> None:
    """As a library that reads mail reads it, and with the file as it is."""
    photo = bytes(range(256)) * 300 + b"\r\n--x--\r\n"
    Path("a cat.jpg").write_bytes(photo)
    command = "curl http://shop.example/photos -F 'title=é \"1\"; x' --form-string 'to=@me' -F 'photo=@\"a cat.jpg\"'"
    assert call("import", command, "-o", "shop.workload.toml").status == 0
    finished = call("load", "-f", "shop.workload.toml", "-n", "3", "-c", "1", "--warmup", "0s", listener.url)
    assert finished.status == 0, finished.out + finished.err
    for request in listener.received:
        kind = request.headers["content-type"]
        form = BytesParser(policy=HTTP_POLICY).parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + request.body)
        parts = {part.get_param("name", header="content-disposition"): part for part in form.iter_parts()}
        payloads = {name: part.get_payload(decode=True) for name, part in parts.items()}
        assert payloads == {"title": 'é "1"'.encode(), "to": b"@me", "photo": photo}
        assert (parts["photo"].get_content_type(), parts["photo"].get_filename()) == ("image/jpeg", "a cat.jpg")
    assert len(listener.received) >= 3


def test_an_access_log(
    lab: Lab, call: Callable[..., Finished], listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("import", DATA / "access.log", "-o", "shop.workload.toml").status == 0
    monkeypatch.setenv("API_TOKEN", "tok-1")
    finished = call("load", "-f", "shop.workload.toml", "-n", "60", "-c", "1", listener.url)
    assert finished.status == 0, finished.out + finished.err
    ids = {request.path.removeprefix("/items/") for request in listener.received if request.path.startswith("/items/")}
    assert ids and ids <= {str(number) for number in range(1, 14)}


AWKWARD = ("a b", "é", "1&2=3", "50%", "a+b", '"x"', "{{y}}", "{z}", "a/b", "?", "#", "<i>", "c:\\\\d", "[0]", "~", "'")


def made_up_requests(number: int) -> list[tuple[str, str, str]]:
    """Method, target and body of requests with awkward values, which differ."""
    chance = random.Random(number)  # the same in each run
    requests = []
    for place in range(12):
        first, second = (chance.choice(AWKWARD) for _ in "ab")
        target = f"/r{place}/{quote(first, safe='')}?q={quote(second, safe='')}"
        body = json.dumps({"text": chance.choice(AWKWARD), "number": place}) if place % 2 else ""
        requests.append(("POST" if body else "GET", target, body))
    return requests


def as_har(requests: list[tuple[str, str, str]]) -> str:
    entries = [
        {
            "request": {"method": method, "url": f"http://127.0.0.1{target}", "headers": []}
            | ({"postData": {"mimeType": "application/json", "text": body}} if body else {}),
            "response": {"status": 200, "content": {}},
        }
        for method, target, body in requests
    ]
    return json.dumps({"log": {"entries": entries}})


def as_postman(requests: list[tuple[str, str, str]]) -> str:
    def doubled(text: str) -> str:  # what is no variable, but looks like one, is written as one that is defined
        return text.replace("{{y}}", "{{braces}}")

    items = [
        {
            "name": target,
            "request": {
                "method": method,
                "url": f"http://127.0.0.1{target}",
                "body": {"mode": "raw", "raw": doubled(body), "options": {"raw": {"language": "json"}}}
                if body
                else None,
            },
        }
        for method, target, body in requests
    ]
    return json.dumps({"info": {}, "variable": [{"key": "braces", "value": "{ {y} }"}], "item": items})


def as_log(requests: list[tuple[str, str, str]]) -> str:
    line = '127.0.0.1 - - [28/Nov/2026:10:00:00 +0000] "{} {} HTTP/1.1" 200 9\n'
    return "".join(line.format(method, target) for method, target, _ in requests)


SOURCES: dict[str, tuple[Callable[[list[tuple[str, str, str]]], str], Callable[[str, str], Any]]] = {
    "har": (as_har, lambda method, body: json.loads(body) if body else ""),
    "postman": (as_postman, lambda method, body: json.loads(body.replace("{{y}}", "{ {y} }")) if body else ""),
    "access-log": (as_log, lambda method, body: "" if method == "GET" else None),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_what_is_sent_is_what_the_source_says(
    lab: Lab, call: Callable[..., Finished], listener: Listener, kind: str
) -> None:
    write, body_of = SOURCES[kind]
    requests = made_up_requests(7)
    Path("source").write_text(write(requests))
    imported = call("import", "source", "-o", "shop.workload.toml")
    assert imported.status == 0, imported.out + imported.err
    finished = call("load", "-f", "shop.workload.toml", "-n", "60", "-c", "1", listener.url)
    assert finished.status == 0, finished.out + finished.err
    sent = {(each.method, unquote(each.path)): each.body for each in listener.received}
    wanted = {(method, unquote(target)): body_of(method, body) for method, target, body in requests}
    wanted = {key: body for key, body in wanted.items() if body is not None}
    assert {key: json.loads(body) if body else "" for key, body in sent.items()} == wanted

    again = [(each.method, each.path, each.body.decode()) for each in listener.received]
    Path("again.har").write_text(as_har(again))
    assert call("import", "again.har", "-o", "again.workload.toml").status == 0
    listener.received.clear()
    assert call("load", "-f", "again.workload.toml", "-n", "60", "-c", "1", listener.url).status == 0
    assert {(each.method, unquote(each.path)): each.body for each in listener.received} == sent
