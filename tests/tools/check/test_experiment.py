"""`fairtrial check` on a workload file: contenders that answer right, wrong in every way, or not the same twice."""

import io
from contextlib import chdir, redirect_stdout
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from fairtrial.tools.check import experiment
from tests.command_line import Finished, Lab

SERVER = '''"""A shop whose answers to each path are right, or wrong in the one way that the path is named after."""

import itertools
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULT = os.environ.get("FAULT", sys.argv[1])
WRONG = {
    "/status": (500, "application/json", "{}"),
    "/type": (200, "text/html", "{}"),
    "/length": (200, "application/json", "{}  {}"),
    "/exact": (200, "application/json", "[1]"),
    "/pointer": (200, "application/json", '{"id": 8}'),
    "/schema": (200, "application/json", '{"id": "7"}'),
    "/pattern": (200, "application/json", '{"price": "3.5"}'),
    "/any": (404, "text/html", "nothing"),
}
RIGHT = {
    **{path: (200, "application/json", "{}") for path in WRONG},
    "/exact": (200, "application/json", "[]"),
    "/pointer": (200, "application/json", '{"id": 7, "more": [8]}'),
    "/schema": (200, "application/json", '{"id": 7}'),
    "/pattern": (200, "application/json", '{"price": "3.50"}'),
    "/any": (202, "text/html", ""),
}
sent = itertools.count(1)


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        status, kind, body = (WRONG if FAULT == "wrong" else RIGHT).get(self.path, (200, "text/plain", "here"))
        if self.path == "/login":
            right = (200, "application/json", '{"token": "t0ken"}')
            status, kind, body = right if FAULT != "closed" else (401, "text/plain", "nobody")
        elif self.path == "/count":
            number = next(sent)
            often = {"moving": time.time_ns(), "rarely": number % 100 == 99}.get(FAULT, 0)
            status, kind, body = 200, "application/json", json.dumps({"of": "shop", "number": int(often)})
        elif self.headers["x-token"] != "t0ken" and self.path != "/":
            status, kind, body = 401, "text/plain", "nobody"
        close = ["Connection: close"] if self.close_connection else []
        head = [f"HTTP/1.1 {status} Any", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *close]
        self.wfile.write("\\r\\n".join([*head, "", body]).encode())


ThreadingHTTPServer((os.environ["HOST"], int(os.environ["PORT"])), Shop).serve_forever()
'''
EVERY_KIND = """
defaults.headers = { x-token = "{{var token}}" }
[setup.login]
get = "/login"
headers = { x-token = "" }
take.token = "/token"
[requests]
status = { get = "/status", expect.status = 200 }
type = { get = "/type", expect.type = "application/json" }
length = { get = "/length", expect.bytes = [1, 5] }
exact = { get = "/exact", expect.text = "[]" }
pointer = { get = "/pointer", expect.json = { "/id" = 7 } }
schema = { get = "/schema", expect.schema = "item.schema.json" }
pattern = { get = "/pattern", expect.matches = { "/price" = '^\\d+\\.\\d\\d$' } }
any = { get = "/any" }
"""
SCHEMA = '{"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}'
KINDS = {
    "status": ("status 200", "status 500, not 200"),
    "type": ("any 2xx; application/json", 'the content type is "text/html", not application/json'),
    "length": ("any 2xx; 1 to 5 bytes", "the body has 6 bytes, not 1 to 5"),
    "exact": ("any 2xx; the whole body", "[1]"),
    "pointer": ("any 2xx; /id", "/id is 8, not 7"),
    "schema": ("any 2xx; its schema", '/id: "7" is not of type "integer"'),
    "pattern": ("any 2xx; patterns at /price", '/price is "3.5", which does not match'),
    "any": ("any answer with 2xx (gRPC: OK) is right", "status 404, not a 2xx"),
}
COUNTS = 'ready = { tcp = true }\n[requests.count]\nget = "/count"\n'


@pytest.fixture(scope="module")
def shop(shared_lab: Lab) -> Lab:
    """A folder with the contenders and two workload files."""
    server = shared_lab.folder / "shop.py"
    server.write_text(SERVER)
    for name in ("right", "wrong", "closed", "moving", "rarely"):
        shared_lab.stack(name, run=["python3", "shop.py", name], server=server, workload="page", service="none")
    (shared_lab.folder / "item.schema.json").write_text(SCHEMA)
    (shared_lab.folder / "kinds.workload.toml").write_text(EVERY_KIND)
    (shared_lab.folder / "counts.workload.toml").write_text(COUNTS)
    return shared_lab


def check(shop: Lab, *arguments: str | Path) -> Finished:
    """Call `fairtrial check` in this process and in the folder, without the time that a new process takes to start."""
    out, err = io.StringIO(), ""
    with chdir(shop.folder), redirect_stdout(out):
        try:
            status = app(["check", *map(str, arguments)], standalone_mode=False) or 0
        except Problem as problem:
            status, err = problem.exit_status, f"{problem.reason}\n{problem.remedy}"
    return Finished(status, out.getvalue(), err, None)


@pytest.fixture(scope="module")
def kinds(shop: Lab) -> Finished:
    """Three contenders, checked on a workload file that has every kind of expectation."""
    names = ("right", "wrong", "closed")
    return check(shop, *names, "--stacks", shop.stacks, "--workload", "kinds.workload.toml")


def lines_of(finished: Finished, contender: str) -> list[str]:
    """The lines of a contender's clauses."""
    lines = finished.out.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"{contender}, workload "))
    clauses = lines[start + 1 :]
    end = next((place for place, line in enumerate(clauses) if not line.startswith("  ")), len(clauses))
    return [line.strip() for line in clauses[:end]]


def test_each_request_is_said_to_hold_by_what_was_looked_at(kinds: Finished, snapshot: object) -> None:
    lines = lines_of(kinds, "right")
    assert lines[0] == snapshot, kinds.out + kinds.err
    for name, (looked_at, _) in KINDS.items():
        expected = f"✓ {name}: GET /{name} is answered as the workload file expects ({looked_at})"
        assert expected in lines
    assert all(line.startswith("✓ ") for line in lines) and lines[-1].startswith("✓ stops: ")
    assert f"right: all {len(lines)} clauses hold" in kinds.out


def test_each_request_that_is_answered_wrong_is_said_with_an_excerpt(kinds: Finished) -> None:
    assert kinds.status == 3, kinds.err
    lines = lines_of(kinds, "wrong")
    for name, (looked_at, instead) in KINDS.items():
        (line,) = [line for line in lines if line.startswith(f"✗ {name}: ")]
        assert f"({looked_at}): " in line and instead in line.partition(f"({looked_at}): ")[2]
    assert f"wrong: {len(KINDS)} of {len(lines)} clauses broken" in kinds.out


def test_without_its_setup_requests_nothing_else_is_asked(kinds: Finished, snapshot: object) -> None:
    setup, stops = lines_of(kinds, "closed")
    assert setup == snapshot
    assert stops.startswith("✓ stops: ")
    assert "closed: 1 of 2 clauses broken" in kinds.out
    assert "t0ken" not in kinds.out + kinds.err


def compared(shop: Lab, *contenders: str) -> Finished:
    """An experiment with the first of these contenders as its reference, checked."""
    file = shop.experiment(*contenders, workload="counts.workload.toml", service="none")
    file.write_text(file.read_text().replace("blocks = ", f'reference = "{contenders[0]}"\nblocks = '))
    return check(shop, file, *shop.named(*contenders))


def test_the_contenders_of_an_experiment_are_compared_with_its_reference(shop: Lab) -> None:
    finished = compared(shop, "right", "rarely")
    assert finished.status == 3, finished.err
    right, rarely = [line for line in finished.out.splitlines() if "asked the same, it answers" in line]
    assert right.strip().startswith("✓ ") and "500 answers to count" in right
    assert rarely.strip().startswith("✗ ") and "/number is 1, not 0" in rarely and "5 of 500 answers to count" in rarely
    assert "right: all " in finished.out and "rarely: 1 of " in finished.out
    assert not (shop.folder / "results").exists(), "nothing is recorded"


def test_a_reference_that_does_not_answer_the_same_twice_is_no_reference(shop: Lab) -> None:
    finished = compared(shop, "moving")
    assert finished.status == 3
    assert "moving does not answer the" in finished.err
    assert 'volatile = ["/number"]' in finished.err
    assert "\n[reference]\n" in finished.err and "counts.workload.toml" in finished.err
    assert "moving: all " in finished.out, "its answers are as expected, each by itself"


def test_what_may_differ_can_be_written_into_the_experiment_with_the_workload(shop: Lab) -> None:
    inline = '[workload]\nready = { tcp = true }\n[workload.requests.count]\nget = "/count"\n'
    file = shop.experiment("moving", service="none", more=inline)
    lines = [line for line in file.read_text().splitlines(keepends=True) if not line.startswith("workload = ")]
    file.write_text("".join(lines).replace("blocks = ", 'reference = "moving"\nblocks = '))
    undeclared = check(shop, file, *shop.named("moving"))
    assert undeclared.status == 3 and f"write it into {file}" in undeclared.err
    proposed = undeclared.err.partition("\n[workload.reference]\n")[2].strip()
    assert proposed == 'volatile = ["/number"]'
    file.write_text(f"{file.read_text()}\n[workload.reference]\n{proposed}\n")
    assert check(shop, file, *shop.named("moving")).status == 0


def swept(shop: Lab, parameter: str, *values: object) -> list[str]:
    """The verdicts on two contenders of an experiment with this sweep."""
    sweep = f'[sweep]\nparameter = "{parameter}"\nvalues = {list(values)}\n'.replace("True", "true")
    file = shop.experiment("right", "moving", workload="counts.workload.toml", service="none", more=sweep)
    finished = check(shop, file, *shop.named("right", "moving"))
    assert finished.status == 0, finished.out + finished.err
    return [line for line in finished.out.splitlines() if " clauses hold" in line or line.startswith("not tried")]


def test_of_a_sweep_each_value_is_tried_that_may_decide(shop: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def names(lines: list[str]) -> list[str]:
        return [line.partition(":")[0] for line in lines]

    assert names(swept(shop, "load.connections", 1, 2)) == ["right at 1", "moving at 1"]
    both = ["right at rarely", "moving at rarely", "right at closed", "moving at closed"]
    assert names(swept(shop, "env.FAULT", "rarely", "closed")) == both
    monkeypatch.setattr(experiment, "MOST_SECONDS", 0.0)
    left_out, *tried = swept(shop, "env.FAULT", "rarely", "closed")
    assert names(tried) == both[:2]
    assert left_out == "not tried, as 0 s had passed: right at closed, moving at closed"


def test_each_protocol_of_a_sweep_is_tried(shop: Lab) -> None:
    """Of a server that says it speaks HTTP/2, and does not."""
    run = ["python3", "shop.py", "right"]
    shop.stack("boasts", run=run, server=shop.folder / "shop.py", workload="page", service="none", more="http2 = true")
    sweep = '[sweep]\nparameter = "load.http2"\nvalues = [false, true]\n'
    file = shop.experiment("boasts", workload="counts.workload.toml", service="none", more=sweep)
    finished = check(shop, file, *shop.named("boasts"))
    assert finished.status == 3, finished.out + finished.err
    broken = [line for line in finished.out.splitlines() if line.startswith("  ✗ ")]
    assert [line[4:].partition(":")[0] for line in broken] == ["http2", "http2", "count"], finished.out
