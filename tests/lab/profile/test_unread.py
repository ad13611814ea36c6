"""How many requests and answers are unread on average, of connections whose contents are known."""

import socket
import time

import pytest

from fairtrial.lab.profile.unread import MOST_SOCKETS, UnreadWatch
from fairtrial.record.profile import Unread
from tests.waiting import wait_for


def watched(port: int, *ports: int, moments: int = 20) -> Unread:
    """What is seen at so many moments."""
    watch = UnreadWatch(port, ports)
    watch.open()
    wait_for(lambda: watch.moments >= moments, "it looks again and again")
    unread = watch.close()
    assert unread is not None and unread.moments >= moments
    return unread


def test_more_sockets_than_are_looked_at_are_told_by_those_that_are() -> None:
    count = 2 * MOST_SOCKETS
    with socket.create_server(("127.0.0.1", 0), backlog=count) as server:
        address = server.getsockname()
        clients = [socket.create_connection(address) for _ in range(count)]
        for client in clients[: count // 2]:
            client.sendall(b"request")
        accepted = [server.accept()[0] for _ in clients]
        for each in accepted[:4]:
            each.sendall(b"answer")
        unread = watched(address[1], moments=100)
        assert unread.requests == pytest.approx(count / 2, rel=0.2)
        assert unread.answers == pytest.approx(4, rel=0.7)
        for each in (*clients, *accepted):
            each.close()


def test_a_request_that_is_unread_for_a_third_of_the_time_counts_as_a_third() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        watch = UnreadWatch(server.getsockname()[1], ())
        watch.open()
        wait_for(lambda: watch.moments, "it looks")
        began, unread_for = time.monotonic(), 0.0
        while time.monotonic() < began + 1.0:
            sent = time.monotonic()
            client.sendall(b"request")
            time.sleep(0.010)
            accepted.recv(100)
            unread_for += time.monotonic() - sent
            time.sleep(0.020)
        share, unread = unread_for / (time.monotonic() - began), watch.close()
        accepted.close()
    assert unread is not None and unread.requests == pytest.approx(share, rel=0.4) and unread.answers == 0.0


def test_behind_a_balancer_sockets_of_instances_are_looked_at_as_well() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as balancer,
        socket.create_server(("127.0.0.1", 0)) as instance,
        socket.create_connection(balancer.getsockname()) as outer,
        socket.create_connection(instance.getsockname()) as inner,
    ):
        outer.sendall(b"request")
        inner.sendall(b"request")
        unread = watched(balancer.getsockname()[1], instance.getsockname()[1])
        assert (unread.requests, unread.answers) == (2.0, 0.0)


def test_of_connections_that_are_replaced_nothing_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        watch = UnreadWatch(server.getsockname()[1], ())
        with socket.create_connection(server.getsockname()) as client:
            client.sendall(b"request")
            watch.open()
            wait_for(lambda: watch.moments, "it looks")
        seen = watch.moments
        wait_for(lambda: watch.moments >= 10 * seen, "it looks when the connection has gone")
        unread = watch.close()
        assert unread is not None and unread.answers is None


def test_of_a_port_without_connections_nothing_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        unread = watched(server.getsockname()[1])
        assert (unread.requests, unread.answers) == (None, None)
