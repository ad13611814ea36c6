"""Fixtures of the contract's tests."""

import socket

import pytest


@pytest.fixture
def unused_port() -> int:
    """A port of loopback on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port
