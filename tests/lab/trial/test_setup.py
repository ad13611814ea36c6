"""Setup requests in trials: of a server that knows only the tokens that it gave itself, and of one that gives none."""

import pytest

from tests.command_line import Finished, Lab

SERVER = '''"""Gives tokens, and answers nobody without one; `closed` gives none."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKENS = set()


class Items(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        status, value = 200, {"ok": True}
        if self.path == "/login" and sys.argv[1] == "open":
            TOKENS.add(token := f"t0ken-of-{os.getpid()}-{len(TOKENS)}")
            value = {"token": token}
        elif self.path != "/" and self.headers["x-token"] not in TOKENS:
            status, value = 401, {"error": "nobody"}
        body = json.dumps(value).encode()
        close = ["Connection: close"] if self.close_connection else []
        head = [f"HTTP/1.1 {status} Any", f"Content-Length: {len(body)}", *close]
        self.wfile.write("\\r\\n".join([*head, "", ""]).encode() + body)


ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Items).serve_forever()
'''
WORKLOAD = """
[setup.login]
get = "/login"
take.token = "/token"
[requests.look]
get = "/look"
headers.x-token = "{{var token}}"
"""


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    (shared_lab.folder / "tokens.workload.toml").write_text(WORKLOAD)
    server = shared_lab.folder / "tokens.py"
    server.write_text(SERVER)
    for name in ("open", "closed"):
        shared_lab.stack(name, run=["python3", "tokens.py", name], server=server, workload="page", service="none")
    experiment = shared_lab.experiment("open", "closed", workload="tokens.workload.toml", service="none", seconds=0.3)
    workloads = ("--workloads", shared_lab.folder)
    return shared_lab.fairtrial("run", experiment, *workloads, *shared_lab.named("open", "closed"))


def test_contract_and_load_have_the_token_of_this_start(finished: Finished) -> None:
    trial = finished.trial("open")
    assert trial["outcome"] == "valid" and trial["goodput"]["per_second"] > 0, finished.out
    contracts = [[clause["name"] for clause in each["contract"]] for each in finished.record[1:]]
    assert ["setup"] in contracts, "the closed one is asked nothing else"
    (names,) = [names for names in contracts if len(names) > 1]
    assert (names[0], names[-1]) == ("setup", "look")


def test_a_setup_request_that_is_not_answered_as_expected_refuses_the_trial(finished: Finished) -> None:
    trial = finished.trial("closed")
    assert trial["outcome"] == "refused"
    assert "status 401, not a 2xx" in finished.out


def test_no_token_is_in_what_is_written_or_shown(finished: Finished) -> None:
    assert finished.results is not None
    written = [file for file in finished.results.rglob("*") if file.is_file()]
    assert written and not [file for file in written if b"t0ken-of" in file.read_bytes()]
    assert "t0ken-of" not in finished.out + finished.err
