"""An experiment with a workload file, from its start to its report."""

import pytest

from tests.command_line import Finished, Lab

SERVER = '''"""A server that knows a key, and the item of each path; `wrong` says another item, and the key with it."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Items(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        key, number = self.headers["x-key"], self.path.rpartition("/")[2]
        item = {"id": int(number or 0), "database": "DATABASE_URL" in os.environ}
        if sys.argv[1] == "wrong" and number:
            item = {"id": f"not with {key}"}
        body = json.dumps(item).encode()
        close = ["Connection: close"] if self.close_connection else []
        head = ["HTTP/1.1 200 OK", "Content-Type: application/json", f"Content-Length: {len(body)}", *close]
        self.wfile.write("\\r\\n".join([*head, "", ""]).encode() + body)


ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Items).serve_forever()
'''
WORKLOAD = """
title = "items"
[rows.items]
file = "items.csv"
[requests.look]
get = "/items/{{row items id}}"
headers = { x-key = "{{env ITEMS_KEY}}" }
expect.json = { "/id" = "{{row items id}}" }
[requests.home]
get = "/"
"""
KEY = "k3y-that-nobody-may-see"


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    """A run of a right server, and one that is not, on a workload file in a folder of its own."""
    folder = shared_lab.folder / "workloads"
    folder.mkdir()
    (folder / "items.workload.toml").write_text(WORKLOAD)
    (folder / "items.csv").write_text("id\n" + "".join(f"{number}\n" for number in range(1, 50)))
    server = shared_lab.folder / "items.py"
    server.write_text(SERVER)
    for name in ("right", "wrong"):
        shared_lab.stack(name, run=["python3", "items.py", name], server=server, workload="page", service="none")
    experiment = shared_lab.experiment("right", "wrong", workload="items.workload.toml", service="none", seconds=0.4)
    shared_lab.environment["ITEMS_KEY"] = KEY
    return shared_lab.fairtrial("run", experiment, "--workloads", folder, *shared_lab.named("right", "wrong"))


def test_a_server_is_judged_by_the_answers_that_the_file_expects(finished: Finished) -> None:
    assert finished.status == 3, finished.err
    right, wrong = finished.trial("right"), finished.trial("wrong")
    assert right["outcome"] == "valid" and right["goodput"]["per_second"] > 0
    assert [clause["name"] for clause in finished.record[1]["contract"][-2:]] == ["look", "home"]
    assert wrong["outcome"] == "refused" and "look" in wrong["reason"]
    (condition,) = [each for each in finished.result["conditions"] if each["stack"] == "right"]
    assert condition["workload"] == "items.workload.toml"
    assert {request["name"] for request in condition["requests"]} == {"look", "home"}


def test_the_record_holds_what_judging_needs(finished: Finished) -> None:
    own = finished.record[0]["own_workload"]
    assert own["name"] == "items.workload.toml" and own["requests"]["look"] == "GET /items/{{row items id}}"
    assert finished.record[0]["experiment"]["workload"] == "items.workload.toml"


def test_what_was_not_examined_is_listed(finished: Finished) -> None:
    unexamined = [
        each["check"] for each in finished.result["findings"] if each["evidence"].startswith("not examined: ")
    ]
    assert sorted(unexamined) == [
        "answered-while-held",
        "ledger",
        "not-stationary",
        "not-warm",
        "stale",
        "writes-stored",
    ]
    assert "--verbose prints " in finished.out and "which the report has" in finished.out
    assert finished.results is not None
    assert (finished.results / "report.html").read_text().count("not examined: ") >= 3


def test_the_key_is_nowhere_in_what_is_written_or_shown(finished: Finished) -> None:
    assert finished.results is not None
    files = [path for path in finished.results.rglob("*") if path.is_file() and path.parent.name != "logs"]
    assert {"record.jsonl", "result.json", "report.html"} <= {path.name for path in files}
    texts = [finished.out, finished.err, *(path.read_text() for path in files)]
    assert [text for text in texts if KEY in text] == []
    evidence = [clause["evidence"] for trial in finished.record[1:] for clause in trial["contract"]]
    assert any("{{env ITEMS_KEY}}" in text for text in evidence)
