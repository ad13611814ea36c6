"""When a server counts as ready, asked of one that runs already."""

import socket
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.base.loopback import free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks import readiness
from fairtrial.catalog.stacks.url import find_running
from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.run import run_engine
from fairtrial.engine.server import engine_server
from fairtrial.experiment.ready import ANSWERED, HEALTH, SPEAKS_HTTP2, Ready
from fairtrial.load.engine_terms import Closed, StopAfterRequests
from tests.catalog.contract.scripted import answer, answering
from tests.lines import passage

CERTIFICATES = Path(__file__).parents[2] / "tools" / "load" / "certificates"


def knows_one_path(line: str, _headers: str) -> Sequence[bytes]:
    return [answer(204 if line.startswith("GET /ready ") else 404)]


@pytest.mark.parametrize(
    "ready", [Ready(path="/ready", status=204), Ready(path="/nosuch", status=404), ANSWERED, Ready(tcp=True)]
)
def test_a_server_that_does_as_asked_is_ready(ready: Ready) -> None:
    with answering(knows_one_path) as url:
        found = find_running(url.replace("127.0.0.1", "localhost"), ready, 5.0)
        assert f"http://{found.address}" == url, "the address of the name that answers"
        assert (found.host, found.tls) == (url.removeprefix("http://").replace("127.0.0.1", "localhost"), None)


@pytest.mark.parametrize(
    ("ready", "seen"),
    [
        (HEALTH, "GET /health answered 404: nothing is there"),
        (Ready(path="/ready"), "GET /ready answered 204: the status is a success"),
    ],
)
def test_a_server_that_answers_otherwise_is_not(ready: Ready, seen: str) -> None:
    with answering(knows_one_path) as url, pytest.raises(Problem) as problem:
        find_running(url, ready, 0.0)
    assert f"was not ready within 0 s ({seen}" in problem.value.reason
    assert f"it is ready when {ready}" in problem.value.remedy


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        (bytes((0, 0, 6, 4, 0, 0, 0, 0, 0)) + bytes(6), None),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "its port speaks HTTP/1.1, and HTTP/2 is asked for"),
        (b"-ERR unknown command\r\n", "its port does not speak HTTP/2"),
        (bytes((0, 0, 6, 4)), "it closed the connection, and did not speak HTTP/2"),
        (b"", "it closed the connection, and did not speak HTTP/2"),
    ],
)
def test_http2_begins_with_settings(said: bytes, seen: str | None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                assert connection.recv(65_536).startswith(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                connection.sendall(said)

        server = threading.Thread(target=answer)
        server.start()
        if seen is None:
            assert find_running(url, SPEAKS_HTTP2, 0.0).host
        else:
            with pytest.raises(Problem) as problem:
                find_running(url, SPEAKS_HTTP2, 0.0)
            assert f"({seen})" in problem.value.reason and "its port speaks HTTP/2" in problem.value.remedy
        server.join()


@pytest.mark.parametrize("ready", [HEALTH, Ready(tcp=True), SPEAKS_HTTP2])
def test_where_nothing_listens_nothing_is_ready(ready: Ready, snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        find_running(f"http://localhost:{free_port()}", ready, 0.0)
    assert str(error.value) == snapshot


def test_all_addresses_of_a_name_are_used_where_that_is_asked(
    monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    with answering(knows_one_path) as first:
        port = int(first.rpartition(":")[2])
        infos = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ("127.0.0.1", "127.0.0.2")]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos)
        url = f"http://two.example:{port}"
        assert find_running(url, ANSWERED, 5.0).other_addresses is None
        with pytest.raises(Problem) as error:
            find_running(url, ANSWERED, 5.0, "all")
        assert str(error.value).replace(str(port), "PORT") == snapshot
        with socket.create_server(("127.0.0.2", port)):
            running = find_running(url, ANSWERED, 5.0, "all")
    assert (running.address, running.other_addresses) == (f"127.0.0.1:{port}", [f"127.0.0.2:{port}"])


@pytest.mark.usefixtures("engine")
def test_tls_is_spoken_where_the_url_asks_for_it(monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    """To the lab and to the load engine alike, a server is who it says if this machine trusts its authority."""
    certificate = ["--tls-certificate", str(CERTIFICATES / "server.pem"), "--tls-key", str(CERTIFICATES / "server.key")]
    with engine_server("a server", "target", certificate) as server:
        url = f"https://{server.address}".replace("127.0.0.1", "localhost")
        with pytest.raises(Problem) as error:
            find_running(url, ANSWERED, 0.0)
        assert passage(str(error.value), "no connection: TLS:", "; trust its auth") == snapshot
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))
        found = find_running(url, ANSWERED, 5.0)
        plan = EnginePlan(
            address=found.address,
            host=found.host,
            tls=found.tls,
            requests=[Request(name="any", path="/")],
            load=Closed(connections=1),
            stop=StopAfterRequests(requests=5),
        )
        assert run_engine(plan, lambda _event: None).verified == 5


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "is this the port of an HTTPS server"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "let the server speak TLS 1.2 or 1.3"),
        (b"\x15\x03\x03\x00\x02\x02\x28", "let the server take ECDHE"),
    ],
)
def test_why_tls_failed_is_said_in_one_line(said: bytes, words: str, snapshot: object) -> None:
    """A fatal alert is a record of type 21: RFC 8446, section 6."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(Problem) as problem:
            find_running(f"https://127.0.0.1:{listening.getsockname()[1]}", ANSWERED, 0.0)
        thread.join()
    assert passage(problem.value.reason, "no connection: TLS:", "handshake failed") == snapshot
    assert words in problem.value.reason
    assert "\n" not in problem.value.reason


@pytest.mark.parametrize(
    ("said", "cpu_share", "seconds"),
    [(None, 0.0, 30.0), (None, 0.04, 30.0), (None, 0.06, 120.0), (9.0, 1.0, 9.0)],
    ids=["it sleeps", "it hardly works", "it works", "its description has a limit"],
)
def test_a_start_without_a_limit_is_awaited_for_longer_while_it_works(
    monkeypatch: pytest.MonkeyPatch, said: float | None, cpu_share: float, seconds: float
) -> None:
    now = 100.0
    monkeypatch.setattr(readiness.time, "monotonic", lambda: now)
    patience = readiness.Patience(said, lambda: cpu_share * (now - 100.0))
    while not patience.is_over():
        now += 0.5
    assert now - 100.0 == pytest.approx(seconds, abs=1.0) and patience.seconds == pytest.approx(seconds, abs=1.0)


def test_a_start_that_stops_working_is_awaited_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(readiness.time, "monotonic", lambda: now)
    patience = readiness.Patience(None, lambda: min(now, 40.0))
    while not patience.is_over():
        now += 0.5
    assert 40.0 < now < 45.0
