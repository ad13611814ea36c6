"""Ports of loopback."""

import os
import socket

import pytest

from fairtrial.base.loopback import LOOPBACK, free_port, holder, is_address, is_free, listens


def test_a_free_port_can_be_bound_and_is_then_listened_on() -> None:
    port = free_port()
    assert not listens(port)
    with socket.create_server((LOOPBACK, port)):
        assert listens(port)
    assert not listens(port)


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
