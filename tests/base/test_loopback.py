"""Ports of loopback."""

import os
import socket
from pathlib import Path

import pytest

from fairtrial.base import loopback
from fairtrial.base.loopback import LOOPBACK, free_port, holder, is_address, is_free, listens


def test_a_free_port_can_be_bound_and_is_then_listened_on() -> None:
    port = free_port()
    assert not listens(port)
    with socket.create_server((LOOPBACK, port)):
        assert listens(port)
    assert not listens(port)


def test_no_connection_from_here_is_given_a_free_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ports = tmp_path / "ports"
    ports.write_text("30000\t60999\n")
    monkeypatch.setattr(loopback, "OUTGOING_PORTS", ports)
    assert {free_port() for _ in range(20)} <= set(range(20_000, 30_000))


@pytest.mark.parametrize("told", ["1024\t65535\n", "20010\t65535\n", "no numbers", None])
def test_a_port_is_free_where_the_kernel_leaves_none_or_does_not_tell(
    told: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports = tmp_path / "ports"
    if told is not None:
        ports.write_text(told)
    monkeypatch.setattr(loopback, "OUTGOING_PORTS", ports)
    assert is_free(free_port())


@pytest.mark.parametrize("address", [LOOPBACK, "0.0.0.0"])
def test_a_port_that_somebody_holds_is_not_free_and_the_holder_is_named(address: str) -> None:
    with socket.create_server((address, 0)) as listener:
        port = listener.getsockname()[1]
        assert not is_free(port)
        assert holder(port).endswith(f"(process {os.getpid()})")
    assert is_free(port)
    assert "another user" in holder(port)


def test_closed_connections_do_not_hold_a_port_back() -> None:
    """The server's side closes first, and stays in TIME_WAIT on its port."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection((LOOPBACK, port)) as client:
            accepted, _ = listener.accept()
            accepted.close()
            assert client.recv(1) == b""
    assert is_free(port)


@pytest.mark.parametrize(
    ("address", "loopback"),
    [("127.0.0.1", True), ("::ffff:127.0.0.1", True), ("127.0.0.2", False), ("::ffff:127.0.0.2", False), ("::", False)],
)
def test_addresses_are_compared_as_addresses(address: str, loopback: bool) -> None:
    assert is_address(address) is loopback
