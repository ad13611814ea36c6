"""Contenders on trial whose answers must be equal to those of one of them."""

from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Finished, Lab

SERVER = '''"""A shop that answers right in its own way, or has faults, others under load than before. It is quick."""

import asyncio
import json
import os
import sys
import time

FAULT = sys.argv[1]
open_connections = served = 0


def answer(method, target, sent):
    """Status and body."""
    global served
    served += 1
    number = int(target.rpartition("/")[2] or 0)
    if method == "POST":
        return 201, {"status": "accepted", "order": served + 1000 * (FAULT == "spelled"), "price": number}
    item = {"id": number, "price": 100 + number, "tags": ["a", {"b": None}], "at": time.time()}
    if FAULT == "spelled":
        item = {"at": 7, "tags": ["a", {"b": None}], "price": 100.0 + number, "id": number}
    if FAULT == "faulty" and served % (21 if open_connections > 1 else 998) == 0:
        item["price"] += 1
    return 200, item


class Shop(asyncio.Protocol):
    def connection_made(self, transport):
        global open_connections
        open_connections += 1
        self.transport, self.buffer = transport, b""

    def connection_lost(self, error):
        global open_connections
        open_connections -= 1

    def data_received(self, data):
        self.buffer += data
        head, end, body = self.buffer.partition(b"\\r\\n\\r\\n")
        length = 6 if head.startswith(b"POST") else 0
        if not end or len(body) < length:
            return
        self.buffer = body[length:]
        method, target, _ = head.split(b"\\r\\n")[0].decode().split(" ")
        status, value = answer(method, target, body[:length])
        text = json.dumps(value, indent=1 if FAULT == "spelled" else None)
        if FAULT == "faulty" and open_connections > 1 and served % 19 == 1:
            text = text.replace('"price"', '"id": 0, "price"')
        close = "Connection: close\\r\\n" if b"onnection: close" in head else ""
        kind = "application/json; charset=utf-8" if FAULT == "spelled" else "application/json"
        self.transport.write(
            f"HTTP/1.1 {status} OK\\r\\nContent-Type: {kind}\\r\\n"
            f"Content-Length: {len(text)}\\r\\n{close}\\r\\n{text}".encode()
        )
        if close:
            self.transport.close()


async def serve():
    server = await asyncio.get_running_loop().create_server(Shop, os.environ["HOST"], int(os.environ["PORT"]))
    await server.serve_forever()


asyncio.run(serve())
'''
WORKLOAD = """
ready = { tcp = true }
[setup.first]
get = "/items/900000"
take = { seen = "/price" }
[rows.items]
file = "items.csv"
[requests.look]
weight = 9
get = "/items/{{row items id}}"
headers = { x-key = "{{env ITEMS_KEY}}", x-seen = "{{var seen}}" }
[requests.order]
post = "/orders/{{row items id}}"
body = "{{uniform 100000 999999}}"
[reference]
volatile = ["/at"]
renamed = ["/order"]
"""
CONTENDERS = ("main", "spelled", "faulty")


@pytest.fixture(scope="module")
def shop(shared_lab: Lab) -> Path:
    """The workload file, with a setup request, and the stacks."""
    server = shared_lab.folder / "shop.py"
    server.write_text(SERVER)
    for name in CONTENDERS:
        shared_lab.stack(name, run=["python3", "shop.py", name], server=server, workload="page", service="none")
    (shared_lab.folder / "items.csv").write_text("id\n" + "".join(f"{number}\n" for number in range(1, 5001)))
    file = shared_lab.folder / "shop.workload.toml"
    file.write_text(WORKLOAD)
    shared_lab.environment["ITEMS_KEY"] = "k3y-that-nobody-may-see"
    return file


def experiment(lab: Lab, *stacks: str) -> list[str | Path]:
    """The arguments of a run in which `main` is the reference."""
    file = lab.experiment(*stacks, workload="shop.workload.toml", service="none", seconds=0.3)
    file.write_text(file.read_text().replace("blocks = ", 'reference = "main"\nblocks = '))
    return ["run", file, *lab.named(*stacks)]


@pytest.fixture(scope="module")
def finished(shared_lab: Lab, shop: Path) -> Finished:
    """A run of all contenders."""
    return shared_lab.fairtrial(*experiment(shared_lab, *CONTENDERS))


def test_in_slices_the_answers_of_every_slice_are_compared(shared_lab: Lab, shop: Path) -> None:
    """What differs under load alone is found in the slices, whoever else is up."""
    arguments = experiment(shared_lab, "main", "faulty")
    file = Path(arguments[1])
    file.write_text(file.read_text() + "[slices]\nseconds = 0.1\nserver_share = 1.0\nengine_share = 1.0\n")
    finished = shared_lab.fairtrial(*arguments)
    main, faulty = (
        next(line for line in finished.record[1:] if line["condition"].startswith(f"{name}/"))
        for name in ("main", "faulty")
    )
    assert main["equal_answers"] is not None, (faulty["failure"], finished.out)
    compared = main["equal_answers"]["requests"]["look"]
    assert compared["unequal"] == 0 and compared["compared"] > 0.5 * main["engine"]["verified"], finished.out
    assert refusals(finished, "main") == [] and len(main["slices"]["slices"]) == 3
    assert faulty["equal_answers"]["requests"]["look"]["unequal"] > 0
    assert any("under load" in each for each in refusals(finished, "faulty"))


def refusals(finished: Finished, stack: str) -> list[str]:
    trial: dict[str, Any] = finished.trial(stack)
    return [
        each["evidence"]
        for each in trial["findings"]
        if each["check"] == "answers-differ" and each["severity"] == "refusal"
    ]


def test_the_same_in_another_spelling_is_equal(finished: Finished) -> None:
    for name in ("main", "spelled"):
        assert finished.trial(name)["outcome"] == "valid", finished.out
        assert refusals(finished, name) == []
    (spelled,) = [line for line in finished.record[1:] if line["condition"].startswith("spelled/")]
    look = spelled["equal_answers"]["requests"]["look"]
    assert look["compared"] > 0 and look["unequal"] == 0 and "order" not in spelled["equal_answers"]["requests"]


def test_one_wrong_field_in_a_thousand_is_found_before_the_load(finished: Finished) -> None:
    first, _ = refusals(finished, "faulty")
    assert "look, instance 498, GET /items/" in first and "(items.csv, line " in first, first
    assert ": /price is " in first and "before the load 1 of 500 answers" in first


def test_what_is_right_until_the_load_is_found_under_load(finished: Finished) -> None:
    """It has faults of its own there: they are not those of before."""
    _, second = refusals(finished, "faulty")
    assert "under load" in second and "answers to look differ" in second
    (line,) = [line for line in finished.record[1:] if line["condition"].startswith("faulty/")]
    differences = line["equal_answers"]["differences"]
    assert any(each["what"] == "a member occurs twice" for each in differences), differences
    shown = next(each for each in differences if each["what"] != "a member occurs twice")
    number = int(shown["asked"].removeprefix("GET /items/"))
    assert (shown["row"], shown["what"]) == (
        f"items.csv, line {number + 1}",
        f"/price is {101 + number}, not {100 + number}",
    )
    assert line["engine"]["comparison"] is None and line["engine"]["errors"]["wrong_body"] > 0


def test_the_result_says_how_many_were_compared_and_what_was_not(finished: Finished) -> None:
    said = [each["evidence"] for each in finished.result["findings"] if each["check"] == "answers-differ"]
    assert any(each.startswith("main: compared answers, ") and "order 500 (a share of 0.006)" in each for each in said)
    assert any(each.startswith("not examined: answers to order") for each in said)
    assert any("headers" in each for each in said)
    assert finished.record[0]["reference"]["under_load"] == ["look"]
    texts = [path.read_text() for path in (finished.results or Path()).glob("*.*")]
    assert texts and not any("k3y-that" in text for text in [*texts, finished.out, finished.err])
