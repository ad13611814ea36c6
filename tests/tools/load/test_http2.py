"""`fairtrial load --http2` against the servers that people run: Node.js, and nginx."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairtrial.base.loopback import free_port, listens
from tests.command_line import Finished
from tests.lines import passage
from tests.machine.needs import needs
from tests.tools.load.conftest import CERTIFICATES, Target
from tests.waiting import wait_for

Call = Callable[..., Finished]


def summary(call: Call, *arguments: str | Path) -> dict[str, Any]:
    finished = call("load", *arguments, "--json", "-")
    assert finished.status == 0, finished.err
    measured: dict[str, Any] = json.loads(finished.out)
    return measured


def test_streams_over_one_connection(call: Call, http2_port: int) -> None:
    url = f"http://localhost:{http2_port}/"
    measured = summary(call, url, "--http2", "--streams", "20", "-c", "1", "-n", "1000", "--expect-body", "hello")
    assert (measured["verified"], measured["connects"]) == (1000, 1)
    assert "closed, 1 connection × 20 streams, HTTP/2" in measured["load"]


def test_bodies_beyond_a_window(call: Call, http2_port: int, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(b"x" * 300_000)
    options = ("-m", "POST", "-b", f"@{body}", "--expect-body", "got 300000 bytes")
    measured = summary(
        call, f"http://localhost:{http2_port}/", "--http2", "--streams", "3", "-c", "1", "-n", "9", *options
    )
    assert measured["verified"] == 9


def test_it_is_agreed_by_alpn(call: Call, secure_http2_port: int) -> None:
    options = ("--cacert", CERTIFICATES / "authority.pem", "--expect-body", "hello")
    url = f"https://localhost:{secure_http2_port}/"
    measured = summary(call, url, "--http2", "--streams", "5", "-c", "2", "-n", "200", *options)
    assert (measured["verified"], measured["connects"]) == (200, 2)


def test_a_server_of_http_1_is_named(call: Call, target: Target, secure_target: Target) -> None:
    plain = call("load", target.url, "--http2", "-c", "1", "-d", "200ms", "--warmup", "0")
    assert plain.status == 4
    assert "does not speak HTTP/2 here" in plain.out
    assert "leave out --http2" in plain.out and "the port of an HTTP" not in plain.out
    port = secure_target.address.rpartition(":")[2]
    over_tls = call(
        "load", f"https://localhost:{port}/", "--http2", "--insecure", "-c", "1", "-d", "200ms", "--warmup", "0"
    )
    assert over_tls.status == 4
    assert "ALPN" in (over_tls.out + over_tls.err) or "NoApplicationProtocol" in over_tls.out + over_tls.err


@needs("nginx")
def test_a_server_that_says_goodbye_loses_no_request(call: Call, tmp_path: Path, snapshot: object) -> None:
    """nginx sends GOAWAY after `keepalive_requests`, and has not processed what came on later streams."""
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
            wait_for(lambda: listens(port), f"somebody listens at port {port}", within_seconds=20)
            url = f"http://127.0.0.1:{port}/"
            measured = summary(call, url, "--http2", "-c", "2", "-n", "1000", "--expect-body", "hello")
            streams = ("--streams", "30", "-c", "1", "-n", "3000")
            finished = call("load", url, "--http2", *streams, "--expect-body", "hello")
        finally:
            process.terminate()
    assert measured["verified"] == 1000
    assert 9 <= measured["connects"] <= 12
    assert finished.status == 0 and "errors: none" in finished.out, finished.out
    assert passage(finished.out, "requests that the", "not processed") == snapshot
