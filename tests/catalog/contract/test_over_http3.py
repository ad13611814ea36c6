"""The lab's own requests over HTTP/3, against the server of aioquic."""

import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from fairtrial.base.loopback import free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import ask, client_of
from fairtrial.catalog.contract.http3_exchange import MOST_RECEIVED_BYTES
from fairtrial.catalog.contract.over_http3 import OverHttp3
from tests.tools.load.conftest import CERTIFICATES

AUTHORITY = str(CERTIFICATES / "authority.pem")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    script = CERTIFICATES.parent / "http3_server.py"
    command = [sys.executable, script, CERTIFICATES / "server.pem", CERTIFICATES / "server.key"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"https://localhost:{int(process.stdout.readline())}"
        finally:
            process.terminate()


@pytest.fixture
def client(url: str) -> Iterator[httpx.Client]:
    with client_of(url, ca_file=AUTHORITY, over="HTTP/3") as client:
        yield client


def test_answers_come_whole(client: httpx.Client) -> None:
    answer = ask(client, "GET", "/?a=b")
    assert (answer.status, answer.body, answer.headers["content-type"]) == (200, b"hello", "text/plain")
    assert ask(client, "POST", "/", content=b"x" * 1_500_000).body == b"got 1500000 bytes"
    assert len(ask(client, "GET", "/large").body) == 3_000_000
    assert ask(client, "GET", "/interim").body == b"hello"
    assert ask(client, "GET", "/mine").status == 401
    assert ask(client, "GET", "/mine", headers={"Authorization": "hers", "Connection": "close"}).status == 200


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/reset", "the stream was reset with error 0x102"),
        ("/odd", "':status' has invalid value b'2x0'"),
        ("/close", "QUIC ended with error 0x102: out of order"),
    ],
)
def test_what_breaks_off_is_named(client: httpx.Client, path: str, words: str) -> None:
    with pytest.raises(Problem, match=words):
        ask(client, "POST", path, content=b"x")


def test_an_answer_without_an_end_is_given_up(url: str) -> None:
    with (
        client_of(url, 60.0, ca_file=AUTHORITY, over="HTTP/3") as client,
        pytest.raises(Problem, match=f"more than {MOST_RECEIVED_BYTES} bytes"),
    ):
        ask(client, "GET", "/endless")


def test_silence_ends_with_the_timeout(url: str) -> None:
    with client_of(url, 1.0, ca_file=AUTHORITY, over="HTTP/3") as client:
        began = time.monotonic()
        with pytest.raises(Problem, match="no complete answer"):
            ask(client, "GET", "/silent")
    assert time.monotonic() - began < 30


def test_only_the_authority_that_is_named_is_trusted(url: str) -> None:
    with client_of(url, over="HTTP/3") as client, pytest.raises(httpx.ConnectError, match="issuer certificate"):
        ask(client, "GET", "/")
    transport = OverHttp3(insecure=True)
    with client_of(url, transport=transport) as client:
        assert ask(client, "GET", "/").status == 200


def test_nobody_is_told_at_once() -> None:
    with (
        client_of(f"https://127.0.0.1:{free_port()}", over="HTTP/3") as client,
        pytest.raises(httpx.ConnectError, match="refused"),
    ):
        ask(client, "GET", "/")


def test_without_aioquic_it_says_what_to_install(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fairtrial.catalog.contract.http3_exchange", None)
    with pytest.raises(Problem, match="need aioquic") as caught:
        ask(client, "GET", "/")
    assert "fairtrial[http3]" in caught.value.remedy
