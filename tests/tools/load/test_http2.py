"""`fairtrial load --http2` against the servers that people run: Node.js, and nginx."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.loopback import free_port
from tests.command_line import Finished
from tests.tools.load.conftest import CERTIFICATES, Target

Call = Callable[..., Finished]

SERVE = """
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


def serve_by_node(*files: Path) -> Iterator[int]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")
    with subprocess.Popen([node, "-e", SERVE, *map(str, files)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


@pytest.fixture
def plain() -> Iterator[int]:
    yield from serve_by_node()


@pytest.fixture
def secure() -> Iterator[int]:
    yield from serve_by_node(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")


def summary(call: Call, *arguments: str | Path) -> dict[str, Any]:
    finished = call("load", *arguments, "--json", "-")
    assert finished.status == 0, finished.err
    measured: dict[str, Any] = json.loads(finished.out)
    return measured


def test_streams_over_one_connection(call: Call, plain: int) -> None:
    url = f"http://localhost:{plain}/"
    measured = summary(call, url, "--http2", "--streams", "20", "-c", "1", "-n", "1000", "--expect-body", "hello")
    assert (measured["verified"], measured["connects"]) == (1000, 1)
    assert "HTTP/2 with 20 streams per connection" in measured["load"]


def test_bodies_beyond_a_window(call: Call, plain: int, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(b"x" * 300_000)
    options = ("-m", "POST", "-b", f"@{body}", "--expect-body", "got 300000 bytes")
    measured = summary(call, f"http://localhost:{plain}/", "--http2", "--streams", "3", "-c", "1", "-n", "9", *options)
    assert measured["verified"] == 9


def test_it_is_agreed_by_alpn(call: Call, secure: int) -> None:
    options = ("--cacert", CERTIFICATES / "authority.pem", "--expect-body", "hello")
    url = f"https://localhost:{secure}/"
    measured = summary(call, url, "--http2", "--streams", "5", "-c", "2", "-n", "200", *options)
    assert (measured["verified"], measured["connects"]) == (200, 2)


def test_a_server_of_http_1_is_named(call: Call, target: Target, secure_target: Target) -> None:
    plain = call("load", target.url, "--http2", "-c", "1", "-d", "200ms")
    assert plain.status == 4
    assert "does not speak HTTP/2" in plain.out + plain.err
    port = secure_target.address.rpartition(":")[2]
    over_tls = call("load", f"https://localhost:{port}/", "--http2", "--insecure", "-c", "1", "-d", "200ms")
    assert over_tls.status == 4
    assert "ALPN" in (over_tls.out + over_tls.err) or "NoApplicationProtocol" in over_tls.out + over_tls.err


def await_port(port: int) -> None:
    patience = time.monotonic() + 20
    while time.monotonic() < patience:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"nobody listens at port {port}")


@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
def test_a_server_that_says_goodbye_loses_no_request(call: Call, tmp_path: Path) -> None:
    """nginx sends GOAWAY after `keepalive_requests`; with one stream at a time, nothing is in flight then."""
    port = free_port()
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {tmp_path}/pid; error_log {tmp_path}/error.log;\n"
        "events {}\n"
        "http {\n"
        f"  access_log off; client_body_temp_path {tmp_path}/a; proxy_temp_path {tmp_path}/b;\n"
        f"  fastcgi_temp_path {tmp_path}/c; uwsgi_temp_path {tmp_path}/d; scgi_temp_path {tmp_path}/e;\n"
        f"  server {{ listen 127.0.0.1:{port} http2; keepalive_requests 100; return 200 'hello'; }}\n"
        "}\n"
    )
    nginx = shutil.which("nginx")
    assert nginx is not None
    with subprocess.Popen([nginx, "-c", tmp_path / "nginx.conf", "-e", tmp_path / "error.log"]) as process:
        try:
            await_port(port)
            url = f"http://127.0.0.1:{port}/"
            measured = summary(call, url, "--http2", "-c", "2", "-n", "1000", "--expect-body", "hello")
        finally:
            process.terminate()
    assert measured["verified"] == 1000
    assert 9 <= measured["connects"] <= 12
