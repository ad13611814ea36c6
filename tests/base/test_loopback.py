"""Ports of loopback."""

import socket

from fairtrial.base.loopback import LOOPBACK, free_port, listens


def test_a_free_port_can_be_bound_and_is_then_listened_on() -> None:
    port = free_port()
    assert not listens(port)
    with socket.create_server((LOOPBACK, port)):
        assert listens(port)
    assert not listens(port)
