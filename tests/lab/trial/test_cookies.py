"""Cookies of a workload file: a server lets in whoever brings the session that it gave it, once each."""

import json

import pytest

from tests.command_line import Lab

SERVER = '''"""Gives a session to whoever comes without one; each is good for one look at /mine."""

import itertools
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OPEN = set()
NUMBERS = itertools.count(1)


class Sessions(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        brought = self.headers["cookie"]
        if self.path == "/login":
            OPEN.add(session := f"session=s{next(NUMBERS)}")
            return self.answer(409 if brought else 200, f"Set-Cookie: {session}; Path=/mine; HttpOnly\\r\\n")
        if self.path == "/mine" and brought not in OPEN:
            return self.answer(403)
        OPEN.discard(brought)
        self.answer(200)

    def answer(self, status, cookie=""):
        close = "Connection: close\\r\\n" if self.close_connection else ""
        self.wfile.write(f"HTTP/1.1 {status} Any\\r\\n{cookie}{close}Content-Length: 2\\r\\n\\r\\nok".encode())


ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Sessions).serve_forever()
'''
STAY = """
[requests.login]
journey = "stay"
get = "/login"
[requests.mine]
journey = "stay"
get = "/mine"
"""


@pytest.mark.parametrize("cookies", ["journey", None])
def test_each_user_brings_the_cookies_that_it_was_given_if_the_file_says_so(lab: Lab, cookies: str | None) -> None:
    key = "" if cookies is None else f"cookies = {json.dumps(cookies)}\n"
    (lab.folder / "stay.workload.toml").write_text(key + STAY)
    server = lab.folder / "sessions.py"
    server.write_text(SERVER)
    lab.stack("sessions", run=["python3", "sessions.py"], server=server, workload="page", service="none")
    experiment = lab.experiment("sessions", workload="stay.workload.toml", service="none", seconds=0.4)
    finished = lab.fairtrial("run", experiment, "--workloads", lab.folder, *lab.named("sessions"))
    trial = finished.trial("sessions")
    if cookies is None:
        assert trial["outcome"] == "refused" and "mine: status 403" in finished.out, finished.out
        return
    assert trial["outcome"] == "valid", finished.out
    (record,) = [each for each in finished.record[1:] if each["engine"]]
    (journey,) = record["engine"]["journeys"]
    assert journey["completed"] > 10 and journey["broken_off"] == 0


def test_answers_to_users_with_cookies_are_not_compared_with_a_reference(lab: Lab) -> None:
    (lab.folder / "stay.workload.toml").write_text('cookies = "connection"\n[requests.look]\nget = "/"\n')
    server = lab.folder / "sessions.py"
    server.write_text(SERVER)
    for name in ("one", "other"):
        lab.stack(name, run=["python3", "sessions.py"], server=server, workload="page", service="none")
    experiment = lab.experiment("one", "other", workload="stay.workload.toml", service="none")
    experiment.write_text('reference = "one"\n' + experiment.read_text())
    refused = lab.fairtrial("run", experiment, "--workloads", lab.folder, *lab.named("one", "other"))
    assert refused.status == 2 and "keep cookies" in refused.err, refused.err
