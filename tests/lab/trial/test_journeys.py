"""Journeys in trials: of a shop that knows the carts that it made, and of one that loses each before it is paid."""

import pytest

from tests.command_line import Finished, Lab

SERVER = '''"""Makes carts, and takes the payment of each of them once; `forgetful` knows none of them."""

import itertools
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OPEN = set()
NUMBERS = itertools.count(1)


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self.answer(200, {"carts": "many"})

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"] or 0))
        if self.path == "/carts":
            OPEN.add(cart := f"c{next(NUMBERS)}")
            return self.answer(201, {"id": cart})
        cart = self.path.split("/")[2]
        if sys.argv[1] == "forgetful" or cart not in OPEN:
            return self.answer(404, {"error": "no such cart"})
        OPEN.remove(cart)
        self.answer(200, {"paid": True})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        close = ["Connection: close"] if self.close_connection else []
        head = [f"HTTP/1.1 {status} Any", "Content-Type: application/json", f"Content-Length: {len(body)}", *close]
        self.wfile.write("\\r\\n".join([*head, "", ""]).encode() + body)


ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Shop).serve_forever()
'''
WORKLOAD = """
[requests.make]
journey = "buy"
weight = 2
post = "/carts"
expect.status = 201
take.cart = "/id"
[requests.pay]
journey = "buy"
post = "/carts/{{var cart}}/payment"
expect.json = { "/paid" = true }
[requests.look]
get = "/"
"""
CLAIMS = """
[[claims]]
id = "buying"
kind = "budget"
text = "Buying takes at most a second."
metric = "journey_time_p50"
request = "buy"
of = "right"
at_most = "1 s"
[[claims]]
id = "buyers"
kind = "budget"
text = "Somebody buys."
metric = "journeys"
of = "right"
at_least = "1/s"
"""


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    (shared_lab.folder / "carts.workload.toml").write_text(WORKLOAD)
    server = shared_lab.folder / "carts.py"
    server.write_text(SERVER)
    for name in ("right", "forgetful"):
        shared_lab.stack(name, run=["python3", "carts.py", name], server=server, workload="page", service="none")
    experiment = shared_lab.experiment(
        "right", "forgetful", workload="carts.workload.toml", service="none", seconds=0.4, more=CLAIMS
    )
    workloads = ("--workloads", shared_lab.folder)
    return shared_lab.fairtrial("run", experiment, *workloads, *shared_lab.named("right", "forgetful"))


def test_a_journey_is_walked_before_the_load_and_measured_as_a_whole(finished: Finished) -> None:
    trial = finished.trial("right")
    assert trial["outcome"] == "valid", finished.out
    contracts = [each["contract"] for each in finished.record[1:]]
    (contract,) = [each for each in contracts if all(clause["passed"] for clause in each)]
    assert [(clause["name"], clause["passed"]) for clause in contract[-2:]] == [("buy", True), ("look", True)]
    (record,) = [each for each in finished.record[1:] if each["engine"]]
    (journey,) = record["engine"]["journeys"]
    assert journey["completed"] > 10 and journey["broken_off"] == 0
    (condition,) = [each for each in finished.result["conditions"] if each["stack"] == "right"]
    figures = condition["figures"]
    assert figures["journeys_per_second"]["estimate"] > 10
    makes = next(request for request in condition["requests"] if request["name"] == "make")["figures"]
    assert figures["journey_time_p50_seconds"]["estimate"] > makes["response_time_p50_seconds"]["estimate"]
    assert condition["journeys"][0]["name"] == "buy" and finished.results is not None
    assert "journey buy" in (finished.results / "report.html").read_text()


def test_claims_are_of_journeys(finished: Finished) -> None:
    claims = {claim["id"]: claim for claim in finished.result["claims"]}
    assert claims["buying"]["request"] == "buy" and claims["buying"]["estimate"] > 0
    assert claims["buyers"]["estimate"] > 10, claims["buyers"]


def test_a_step_that_fails_refuses_the_trial_and_is_named(finished: Finished) -> None:
    trial = finished.trial("forgetful")
    assert trial["outcome"] == "refused"
    clauses = [clause for each in finished.record[1:] for clause in each["contract"] if not clause["passed"]]
    assert [clause["name"] for clause in clauses] == ["buy"]
    assert clauses[0]["evidence"].startswith("pay: status 404, not a 2xx")


def test_fairtrial_check_walks_them(finished: Finished, shared_lab: Lab) -> None:
    assert finished.results is not None
    file = shared_lab.folder / "carts.workload.toml"
    checked = shared_lab.fairtrial("check", shared_lab.stacks / "right", "--workload", file)
    assert checked.status == 0, checked.out + checked.err
    assert "buy: POST /carts, then POST /carts/{{var cart}}/payment: one user is answered" in checked.out
    failed = shared_lab.fairtrial("check", shared_lab.stacks / "forgetful", "--workload", file)
    assert failed.status == 3 and "pay: status 404, not a 2xx" in failed.out
