"""Journeys in trials: of a shop that knows the carts that it made, and of one that loses each before it is paid."""

import shutil
from pathlib import Path

import pytest

from tests.command_line import Finished, Lab
from tests.lines import line_with

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
DESK = Path(__file__).parents[2] / "fixtures" / "order-desk"
HUNDRED = """kind = "fixed"
requests = 100
connections = 4
warmup_seconds = 0.1
warmup_limit_seconds = 0.1"""
"""Users, of whom none is under way at the end."""
BUYING = """
ready = { path = "/healthz" }
data = { sqlite = "schema.sql" }
[requests.look]
journey = "buy"
get = "/items/{{uniform 1 400}}"
take.item = "/id"
[requests.order]
journey = "buy"
post = "/orders"
json = { item = "{{var item}}", quantity = 1 }
expect.status = 201
[requests.again]
journey = "buy"
post = "/orders"
json = { item = "{{var item}}", quantity = 2 }
expect.status = 201
[audit.first-orders]
sql = "SELECT count(*) FROM orders WHERE quantity = 1"
between = ["{{acknowledged order}}", "{{sent order}}"]
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


def test_fairtrial_check_walks_them(finished: Finished, shared_lab: Lab, snapshot: object) -> None:
    assert finished.results is not None
    file = shared_lab.folder / "carts.workload.toml"
    checked = shared_lab.fairtrial("check", shared_lab.stacks / "right", "--workload", file)
    assert checked.status == 0, checked.out + checked.err
    assert line_with(checked.out, "buy: POST /carts,") == snapshot
    failed = shared_lab.fairtrial("check", shared_lab.stacks / "forgetful", "--workload", file)
    assert failed.status == 3 and "pay: status 404, not a 2xx" in failed.out


def test_audits_count_the_steps_of_journeys_and_name_those_that_none_counts(lab: Lab, snapshot: object) -> None:
    folder = lab.folder / "order-desk"
    shutil.copytree(DESK, folder)
    (folder / "buying.workload.toml").write_text(BUYING)
    stack = folder / "orders" / "stack.toml"
    stack.write_text(stack.read_text().replace('FORGETS = "100"', 'FORGETS = "7"'))  # first and second orders alike
    experiment = lab.experiment("orders", "orders:forgetful", workload="buying.workload.toml", load=HUNDRED)
    finished = lab.fairtrial("run", experiment, "--workloads", folder, "--stacks", folder)

    trials = {condition["contender"]: condition["trials"][0] for condition in finished.result["conditions"]}
    assert trials["orders"]["outcome"] == "valid", finished.out
    (line,) = [each for each in finished.record[1:] if each["index"] == trials["orders"]["index"]]
    (audit,) = line["own_audits"]
    (journey,) = line["engine"]["journeys"]
    # The contract's user and those of the warm-up have ordered, too.
    assert audit["lowest"] <= audit["value"] <= audit["highest"] and audit["lowest"] > journey["completed"] == 100
    reason = trials["orders:forgetful"]["reason"]
    assert reason.startswith("audit-failed: first-orders: ") and "{{acknowledged order}}" in reason, finished.out
    unexamined = {each["check"]: each["evidence"] for each in finished.result["findings"] if not each["examined"]}
    assert unexamined.keys() >= {"ledger", "stale", "writes-stored", "answered-while-held"}
    assert unexamined["writes-stored"] == snapshot
