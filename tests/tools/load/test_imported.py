"""What was imported is a load that can be offered."""

import json
from collections.abc import Callable
from pathlib import Path

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


def test_an_access_log(
    lab: Lab, call: Callable[..., Finished], listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("import", DATA / "access.log", "-o", "shop.workload.toml").status == 0
    monkeypatch.setenv("API_TOKEN", "tok-1")
    finished = call("load", "-f", "shop.workload.toml", "-n", "60", "-c", "1", listener.url)
    assert finished.status == 0, finished.out + finished.err
    ids = {request.path.removeprefix("/items/") for request in listener.received if request.path.startswith("/items/")}
    assert ids and ids <= {str(number) for number in range(1, 14)}
