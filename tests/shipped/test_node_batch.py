"""What node-batch's clients do with connections and with wrong answers, seen from the server that is called."""

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fairtrial.catalog.stacks.build import build_stack
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.requirements import installed_versions

NODE = shutil.which("node")
STACK = find_stacks()["node-batch"]
CLIENTS = ["undici", *sorted(variant.env["CLIENT"] for variant in STACK.variants.values() if "CLIENT" in variant.env)]
CALLS, CONCURRENCY = 200, 5
ANSWER = b"x" * 512

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node.js (Debian: apt install nodejs npm)")


@dataclass
class Seen:
    """What a server saw of those who call it."""

    connections: int = 0
    requests: int = 0
    under_way: int = 0
    most_under_way: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def server(status: int = 200, *, cut: bool = False) -> Iterator[tuple[str, Seen]]:
    """A server that counts, and answers once as many wait as may. The last answer is of this status; with `cut` it ends
    in the middle of its body, and its connection with it."""
    seen, all_wait = Seen(), threading.Barrier(CONCURRENCY, timeout=20)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer in one piece: in two, each second one would wait for a delayed ACK

        def setup(self) -> None:
            super().setup()
            with seen.lock:
                seen.connections += 1

        def do_GET(self) -> None:
            with seen.lock:
                seen.requests += 1
                seen.under_way += 1
                seen.most_under_way = max(seen.most_under_way, seen.under_way)
                last = seen.requests == CALLS
            all_wait.wait()
            body = ANSWER[:100] if cut and last else ANSWER
            self.close_connection |= cut and last
            with seen.lock:
                seen.under_way -= 1
            self.send_response(status if last else 200)
            self.send_header("Content-Length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Not every request."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_address[1]}/", seen
        finally:
            running.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def built(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder to run the stack in."""
    return build_stack(STACK, installed_versions(STACK), tmp_path_factory.mktemp("build") / "log", lambda: None)


def call(built: Path, client: str, url: str) -> subprocess.CompletedProcess[str]:
    assert NODE
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    job = {"JOB": "call-batch", "CALLS": str(CALLS), "CONCURRENCY": str(CONCURRENCY), "UPSTREAM_URL": url}
    return subprocess.run(
        [*STACK.run],
        cwd=built,
        env={**environment, **job, "CLIENT": client},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("client", CLIENTS)
def test_a_variant_keeps_connections_or_opens_one_a_call(built: Path, client: str) -> None:
    with server() as (url, seen):
        done = call(built, client, url)
    assert done.returncode == 0, done.stderr
    assert seen.requests == CALLS
    assert seen.most_under_way == CONCURRENCY
    if client == "closing":
        assert seen.connections == CALLS
    else:
        assert seen.connections == CONCURRENCY


@pytest.mark.parametrize("client", CLIENTS)
def test_an_answer_of_another_status_fails_the_job(built: Path, client: str) -> None:
    with server(503) as (url, _):
        done = call(built, client, url)
    assert done.returncode == 1
    assert "status 503" in done.stderr


@pytest.mark.parametrize("client", CLIENTS)
def test_an_answer_that_is_cut_off_fails_the_job(built: Path, client: str) -> None:
    with server(cut=True) as (url, seen):
        done = call(built, client, url)
    assert seen.requests == CALLS
    assert done.returncode == 1, "it counted an answer that did not come whole"
