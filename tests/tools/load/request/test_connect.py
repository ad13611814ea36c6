"""The one connection before the load: what cannot work is one clear message."""

import errno
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairtrial.base.exit_status import NOTHING_RAN, WRONG_USE
from fairtrial.base.problem import Problem
from fairtrial.engine.plan import Tls
from fairtrial.record.protocol_causes import TLS_REMEDIES
from fairtrial.tools.load.request.connect import check_connection
from fairtrial.tools.load.request.url import parse_url
from tests.tools.load.conftest import CERTIFICATES


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def problem(url: str, tls: Tls | None = None, unix: Path | None = None, seconds: float = 2) -> Problem:
    with pytest.raises(Problem) as raised:
        check_connection(parse_url(url), unix, tls, seconds)
    assert raised.value.remedy
    return raised.value


def test_an_address_on_this_machine(port: int) -> None:
    endpoint = check_connection(parse_url(f"http://127.0.0.1:{port}/"), None, None, 2)
    assert endpoint.address == f"127.0.0.1:{port}"
    assert endpoint.local


def test_of_several_addresses_the_first_that_answers(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dead, alive = (
        (socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, port)) for address in ("127.0.0.2", "127.0.0.1")
    )
    asked: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *host, **_: asked.append(host[0]) or [dead, alive, dead])
    assert check_connection(parse_url(f"http://two.example:{port}/"), None, None, 2).address == f"127.0.0.1:{port}"
    assert asked == ["two.example"]


def resolve_to(*addresses: str, port: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a name that has these addresses."""
    infos = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, port)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos)
    return f"http://name.example:{port}/"


def test_all_addresses_of_a_name(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    url = parse_url(resolve_to("127.0.0.1", "127.0.0.2", port=port, monkeypatch=monkeypatch))
    assert check_connection(url, None, None, 2).addresses == {f"127.0.0.1:{port}"}
    with socket.create_server(("127.0.0.2", port)):
        endpoint = check_connection(url, None, None, 2, "all")
    assert (endpoint.address, endpoint.other_addresses) == (f"127.0.0.1:{port}", (f"127.0.0.2:{port}",))


def test_each_of_all_addresses_has_to_take_a_connection(
    port: int, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    url = parse_url(resolve_to("127.0.0.1", "127.0.0.2", port=port, monkeypatch=monkeypatch))
    with pytest.raises(Problem) as raised:
        check_connection(url, None, None, 2, "all")
    assert raised.value.reason.replace(str(port), "PORT") == snapshot


def test_a_name_without_an_address(monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    unreachable = problem("http://nope.invalid/")
    assert unreachable.reason == snapshot
    assert unreachable.exit_status == NOTHING_RAN


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, ""), "connection refused"),
        (OSError(errno.ENETUNREACH, ""), "network is unreachable"),
        (OSError(errno.EHOSTUNREACH, ""), "no route to host"),
        (TimeoutError("timed out"), "connection timed out"),
    ],
)
def test_an_address_that_cannot_be_reached(error: OSError, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("fairtrial.base.endpoint.first_connected", fail)
    unreachable = problem("http://127.0.0.1:81/")
    assert unreachable.reason == f"127.0.0.1:81: {reason}"
    assert unreachable.exit_status == NOTHING_RAN


def test_a_unix_socket_that_is_not_there(tmp_path: Path) -> None:
    assert "no such file" in problem("http://localhost/", unix=tmp_path / "none").reason


def test_a_unix_path_that_is_too_long(tmp_path: Path) -> None:
    assert "too long" in problem("http://localhost/", unix=tmp_path / ("x" * 200)).reason


def test_a_server_that_does_not_speak_tls(port: int, snapshot: object) -> None:
    silent = problem(f"https://127.0.0.1:{port}/", Tls(server_name="127.0.0.1"), seconds=0.2)
    assert silent.reason == snapshot


@pytest.mark.parametrize(
    ("said", "reason", "remedy"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "", "try http://"),
        (b"", "eof", "closed the connection within the handshake"),
        (b"\x15\x03\x03\x00\x02\x02\x46", "alert protocol version", "TLS 1.2 or 1.3"),
        (b"\x15\x03\x03\x00\x02\x02\x28", "alert handshake failure", "let the server take ECDHE"),
        (b"\x15\x03\x03\x00\x02\x02\x50", "alert internal error", "the server's log"),
        (b"\x15\x03\x03\x00\x02\x02\x78", "", "have the server offer http/1.1 by ALPN"),
    ],
)
def test_a_handshake_that_fails_is_told_by_its_cause(said: bytes, reason: str, remedy: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        failed = problem(f"https://127.0.0.1:{server.getsockname()[1]}/", Tls(server_name="127.0.0.1"))
        thread.join()
    assert failed.exit_status == NOTHING_RAN
    assert failed.reason.startswith("TLS: the handshake failed: ") and reason in failed.reason
    assert remedy in failed.remedy


@contextmanager
def server_of(*protocols: str) -> Iterator[tuple[int, list[str | None]]]:
    """The port of a server that agrees to these protocols, and what it has agreed to on its connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
    context.set_alpn_protocols(protocols)
    agreed: list[str | None] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def shake_hands() -> None:
            connection, _ = listening.accept()
            with context.wrap_socket(connection, server_side=True) as secure:
                agreed.append(secure.selected_alpn_protocol())

        thread = threading.Thread(target=shake_hands)
        thread.start()
        yield listening.getsockname()[1], agreed
        thread.join()


@pytest.mark.parametrize("http2", [False, True])
@pytest.mark.parametrize("protocols", [["h2", "http/1.1"], ["http/1.1"]])
def test_the_protocol_of_the_load_is_asked_for_by_alpn(protocols: list[str], http2: bool, snapshot: object) -> None:
    tls = Tls(server_name="localhost", insecure=True)
    with server_of(*protocols) as (port, agreed):
        url = parse_url(f"https://127.0.0.1:{port}/")
        if http2 and "h2" not in protocols:
            with pytest.raises(Problem) as raised:
                check_connection(url, None, tls, 2, http2=True)
            assert str(raised.value) == snapshot
            assert (raised.value.exit_status, raised.value.remedy) == (NOTHING_RAN, TLS_REMEDIES["alpn_http2"])
        else:
            check_connection(url, None, tls, 2, http2=http2)
    assert agreed == [("h2" if http2 else "http/1.1") if http2 is False or "h2" in protocols else None]


def test_files_for_tls_that_cannot_be_used(port: int, tmp_path: Path, snapshot: object) -> None:
    url = f"https://localhost:{port}/"
    empty = tmp_path / "empty.pem"
    empty.touch()
    missing = problem(url, Tls(server_name="localhost", ca_file=str(tmp_path / "none")))
    assert (missing.exit_status, missing.remedy) == (WRONG_USE, snapshot)
    assert "no certificate" in problem(url, Tls(server_name="localhost", ca_file=str(empty))).reason
    strange = Tls(
        server_name="localhost",
        certificate_file=str(CERTIFICATES / "client.pem"),
        key_file=str(CERTIFICATES / "server.key"),
    )
    assert "do not fit together" in problem(url, strange).reason
