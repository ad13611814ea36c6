"""The kernel's own counters move when the thing itself happens."""

import socket
from contextlib import ExitStack

from fairtrial.meters.network import NetworkWatch
from tests.builders import a_trial
from tests.checks.findings import in_trial, severities

LOOPBACK = ("127.0.0.1", 0)


def test_a_listener_that_never_accepts_overflows() -> None:
    watch = NetworkWatch()
    with ExitStack() as held:
        listener = held.enter_context(socket.create_server(LOOPBACK, backlog=0))
        watch.open()
        for _ in range(4):
            one = held.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        seen = watch.close()
    assert seen.listen_overflows is not None and seen.listen_overflows >= 1
    assert severities(in_trial("backlog-overflow", a_trial().but(network=seen))) == ["warning"]


def test_closed_connections_are_counted_in_time_wait() -> None:
    before, after = NetworkWatch(), NetworkWatch()
    before.open()
    waiting = before.close().time_wait_sockets
    with socket.create_server(LOOPBACK) as listener:
        for _ in range(50):
            client = socket.create_connection(listener.getsockname())
            served, _ = listener.accept()
            client.close()
            served.close()
    after.open()
    seen = after.close()
    assert waiting is not None and seen.time_wait_sockets is not None and seen.time_wait_sockets > waiting
    assert seen.local_ports is not None and seen.local_ports > 1000
