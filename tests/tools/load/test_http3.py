"""`fairtrial load --http3` against the server of aioquic."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.loopback import free_port
from fairtrial.engine.binary import engine_binary
from tests.command_line import Finished
from tests.lines import passage
from tests.tools.load.conftest import CERTIFICATES

Call = Callable[..., Finished]

TRUSTED = ("--cacert", CERTIFICATES / "authority.pem")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    script = Path(__file__).with_name("http3_server.py")
    command = [sys.executable, script, CERTIFICATES / "server.pem", CERTIFICATES / "server.key"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"https://localhost:{int(process.stdout.readline())}/"
        finally:
            process.terminate()


def summary(call: Call, *arguments: str | Path) -> dict[str, Any]:
    finished = call("load", *arguments, "--json", "-")
    assert finished.status == 0, finished.err
    measured: dict[str, Any] = json.loads(finished.out)
    return measured


def test_streams_over_connections_of_quic(call: Call, url: str) -> None:
    options = ("--http3", "--streams", "5", "-c", "2", "-n", "200", "--expect-body", "hello")
    measured = summary(call, url, *TRUSTED, *options)
    assert (measured["verified"], measured["connects"]) == (200, 2)
    assert "closed, 2 connections × 5 streams, HTTP/3, TLS" in measured["load"]


def test_bodies_beyond_a_window(call: Call, url: str, tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_bytes(b"x" * 1_500_000)
    options = ("-m", "POST", "-b", f"@{body}", "--expect-body", "got 1500000 bytes")
    measured = summary(call, url, *TRUSTED, "--http3", "--streams", "2", "-c", "1", "-n", "4", *options)
    assert measured["verified"] == 4


def test_what_a_path_loses_is_late_and_counted_once(call: Call, url: str) -> None:
    """The engine's own proxy of datagrams lies between."""
    to = f"127.0.0.1:{url.rstrip('/').rpartition(':')[2]}"
    options = ["proxy", "--udp", "--to", to, "--latency", "20ms", "--loss", "0.02"]
    with subprocess.Popen([engine_binary(), *options], stdout=subprocess.PIPE, text=True) as proxy:
        assert proxy.stdout
        port = json.loads(proxy.stdout.readline())["address"].rpartition(":")[2]
        load = ("--http3", "--streams", "5", "-c", "2", "-n", "500", "--expect-body", "hello")
        measured = summary(call, f"https://localhost:{port}/", *TRUSTED, *load)
        proxy.terminate()
        account = json.loads(proxy.stdout.readline())
    assert (measured["verified"], measured["sent"]) == (500, 500) and not any(measured["errors"].values())
    assert account["clients"] == 3, "the two connections, and the question whether QUIC is spoken there"
    assert account["to_service"]["lost"] + account["to_clients"]["lost"] > 0
    times = measured["response_time"]
    assert times["min_seconds"] >= 0.02 and times["max_seconds"] > 1.5 * times["percentiles"]["50"]


def test_large_answers(call: Call, url: str) -> None:
    options = ("--http3", "--streams", "2", "-c", "2", "-n", "8", "--timeout", "60", "--expect-length", "3000000")
    measured = summary(call, f"{url}large", *TRUSTED, *options)
    assert measured["verified"] == 8 and not any(measured["errors"].values())
    assert measured["received_bytes"] >= 8 * 3_000_000


def test_setup_requests_go_over_http3_as_well(call: Call, url: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.workload.toml"
    file.write_text(
        '[setup.login]\npost = "/login"\ntake.token = "header token"\n'
        '[requests.mine]\nget = "/mine"\nheaders = { authorization = "{{var token}}" }\nexpect = { text = "hello" }\n',
        encoding="utf-8",
    )
    measured = summary(call, url, *TRUSTED, "--http3", "-f", file, "-c", "2", "-n", "20")
    assert measured["verified"] == 20


def test_an_open_load(call: Call, url: str) -> None:
    measured = summary(call, url, "--insecure", "--http3", "-r", "50", "-c", "4", "-d", "1", "--warmup", "0")
    assert measured["verified"] >= 40 and not any(measured["errors"].values())


def test_an_unknown_issuer_is_named(call: Call, url: str, snapshot: object) -> None:
    finished = call("load", url, "--http3", "-c", "1", "-n", "3")
    assert finished.status == 4
    assert passage(finished.out, "nobody who", "has signed") == snapshot
    assert "--cacert" in finished.out


def test_nobody_is_named_before_the_load(call: Call) -> None:
    finished = call("load", f"https://127.0.0.1:{free_port()}/", "--http3", "-c", "1", "-n", "3")
    assert finished.status == 4
    assert "connection refused" in finished.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["http://localhost:1/"], "ask by https://"),
        (["https://localhost:1/", "--http2"], "exclude each other"),
        (["https://localhost:1/", "--unix", "/nowhere"], "leave out --unix"),
        (["https://localhost:1/", "--pipeline", "2"], "use --streams"),
        (["https://localhost:1/", "--no-keepalive"], "leave out --no-keepalive"),
    ],
)
def test_what_it_cannot_be_combined_with_is_refused(call: Call, options: list[str], words: str) -> None:
    finished = call("load", "--http3", *options)
    assert finished.status == 2 and words in finished.err
