"""Connects to several addresses: on loopback, with names that a fake resolver has."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from fairtrial.base.happy_eyeballs import ATTEMPT_DELAY_SECONDS, Address, addresses_of, first_connected, in_words


def ipv4(ip: str, port: int) -> Address:
    return Address(socket.AF_INET, (ip, port))


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@contextmanager
def silent() -> Iterator[Address]:
    """An address at which connects are neither accepted nor refused: its queue is full."""
    with ExitStack() as open_sockets, socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        for _ in range(4):
            filling = open_sockets.enter_context(socket.socket())
            filling.setblocking(False)
            filling.connect_ex(full.getsockname())
        yield ipv4(*full.getsockname())


def test_the_families_take_turns_in_the_order_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (("2001:db8::1", 80, 0, 0), ("2001:db8::2", 80, 0, 0))
    infos = [(socket.AF_INET6, socket.SOCK_STREAM, 6, "", sockaddr) for sockaddr in (first, first, second)]
    infos += [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos)
    assert list(map(str, addresses_of("name.example", 80))) == ["[2001:db8::1]:80", "192.0.2.1:80", "[2001:db8::2]:80"]


def test_addresses_are_written_as_the_engine_reads_them() -> None:
    assert in_words(("127.0.0.1", 80)) == "127.0.0.1:80"
    assert in_words(("::1", 80, 0, 0)) == "[::1]:80"
    assert in_words(("fe80::1", 80, 0, 2)) == "[fe80::1%2]:80"


def test_the_next_address_is_tried_at_once_where_one_refuses(listening: socket.socket) -> None:
    port, began = listening.getsockname()[1], time.monotonic()
    refusing = [ipv4(f"127.0.0.{last}", port) for last in (2, 3, 4)]
    with first_connected([*refusing, ipv4("127.0.0.1", port)], 5.0) as connection:
        assert connection.getpeername() == ("127.0.0.1", port)
        assert connection.gettimeout() == 5.0
    assert time.monotonic() - began < ATTEMPT_DELAY_SECONDS * 3


def test_the_next_address_is_tried_beside_one_that_is_silent(listening: socket.socket) -> None:
    began = time.monotonic()
    with silent() as address, first_connected([address, ipv4(*listening.getsockname())], 20.0) as connection:
        assert connection.getpeername() == listening.getsockname()
    assert ATTEMPT_DELAY_SECONDS <= time.monotonic() - began < 10.0


def test_without_a_connection_the_last_reason_is_told(listening: socket.socket) -> None:
    port = listening.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        first_connected([ipv4("127.0.0.2", port), ipv4("127.0.0.3", port)], 5.0)
    with silent() as address, pytest.raises(TimeoutError):
        first_connected([ipv4("127.0.0.2", port), address], 0.1)
