"""Servers to aim at: the engine's own target, and one that keeps the requests it received."""

import json
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from fairtrial.commands.output import print_problem
from tests.command_line import Finished, Lab
from tests.machine.needs import skip_without

CERTIFICATES = Path(__file__).parent / "certificates"


@dataclass
class Target:
    """A running `fairtrial-engine target`."""

    process: "subprocess.Popen[str]"
    address: str

    @property
    def url(self) -> str:
        return f"http://{self.address}/some/path?x=1"

    def stop(self) -> dict[str, Any]:
        """End it and return its account of itself."""
        self.process.terminate()
        assert self.process.stdout
        served: dict[str, Any] = json.loads(self.process.stdout.readline())
        return served


@contextmanager
def targets(engine: Path, prefix: Sequence[str] = ()) -> Iterator[Callable[..., Target]]:
    """Starts targets with these options, `prefix` before the command; all are ended with the context."""
    with ExitStack() as stack:

        def start(*options: str | Path) -> Target:
            where = [] if "--unix" in options or "--listen" in options else ["--listen", "127.0.0.1:0"]
            command = [*prefix, str(engine), "target", *where, *map(str, options)]
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            assert process.stdout
            stack.callback(process.stdout.read)
            stack.callback(process.terminate)
            return Target(process, json.loads(process.stdout.readline())["address"])

        yield start


@pytest.fixture
def serve(engine: Path) -> Iterator[Callable[..., Target]]:
    """Starts targets with these options; all are ended with the test."""
    with targets(engine) as start:
        yield start


@pytest.fixture(scope="session")
def target(engine: Path) -> Iterator[Target]:
    """A target that answers `hello`, for all tests."""
    with targets(engine) as start:
        yield start("--body", "hello")


@pytest.fixture(scope="session")
def secure_target(engine: Path) -> Iterator[Target]:
    """A target that speaks TLS as `localhost`, for all tests."""
    files = ("--tls-certificate", CERTIFICATES / "server.pem", "--tls-key", CERTIFICATES / "server.key")
    with targets(engine) as start:
        yield start(*files, "--body", "hello")


HTTP2_SERVER = """
const http2 = require("node:http2");
const fs = require("node:fs");
const [certificate, key] = process.argv.slice(1);
const secure = () => http2.createSecureServer({cert: fs.readFileSync(certificate), key: fs.readFileSync(key)});
const server = certificate ? secure() : http2.createServer();
server.on("request", (request, response) => {
    let length = 0;
    request.on("data", (piece) => { length += piece.length; });
    request.on("end", () => {
        response.writeHead(200, {"content-type": "text/plain"});
        response.end(request.method === "POST" ? `got ${length} bytes` : "hello");
    });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"""


def http2_by_node(*files: Path) -> Iterator[int]:
    """The port of a server of HTTP/2, with certificate and key or with prior knowledge."""
    skip_without("node")
    with subprocess.Popen(["node", "-e", HTTP2_SERVER, *map(str, files)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


@pytest.fixture
def http2_port() -> Iterator[int]:
    """Of a server that takes HTTP/2 at once and answers `hello`, or the length of what is posted."""
    yield from http2_by_node()


@pytest.fixture
def secure_http2_port() -> Iterator[int]:
    """The same, over TLS as `localhost`."""
    yield from http2_by_node(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")


@pytest.fixture
def call(lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Finished]:
    """Calls `fairtrial` in this process, in the lab's folder, without the time that a new process takes to start."""
    monkeypatch.chdir(lab.folder)
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.setenv(name, lab.environment[name])

    def run(*arguments: str | Path) -> Finished:
        try:
            status = app([str(each) for each in arguments], standalone_mode=False) or 0
        except Problem as problem:
            print_problem(problem)
            status = problem.exit_status
        printed = capsys.readouterr()
        return Finished(status, printed.out, printed.err, None)

    return run


@dataclass
class ReceivedRequest:
    """A request as a server received it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Listener:
    """A server in this process, and the requests that it has received."""

    url: str
    received: list[ReceivedRequest] = field(default_factory=list)


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while size := int(stream.readline(), 16):
        yield stream.read(size)
        stream.readline()
    stream.readline()


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Answers 200 to everything and keeps the requests."""
    received: list[ReceivedRequest] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            is_chunked = self.headers.get("Transfer-Encoding") == "chunked"
            length = int(self.headers.get("Content-Length", 0))
            body = b"".join(_chunks(self.rfile)) if is_chunked else self.rfile.read(length)
            headers = {name.lower(): value for name, value in self.headers.items()}
            received.append(ReceivedRequest(self.command, self.path, headers, body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield Listener(f"http://127.0.0.1:{server.server_port}/", received)
    server.shutdown()
    thread.join()
    server.server_close()
