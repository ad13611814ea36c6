"""Links between hosts: round trips and bandwidth, whoever else connects to the listener."""

import pytest

from fairtrial.base.loopback import LOOPBACK, free_port
from fairtrial.tools.cluster import link


def test_round_trips_and_bandwidth_over_loopback() -> None:
    port = link.listen(LOOPBACK, seconds=10.0)
    measured = link.measure_link(LOOPBACK, port, round_trips=5, seconds=0.05)
    assert len(measured.round_trips_seconds) == 5
    assert all(0 < each < 1 for each in measured.round_trips_seconds)
    assert measured.bytes_per_second > 1e6


def test_nobody_listens() -> None:
    with pytest.raises(ConnectionRefusedError):
        link.measure_link(LOOPBACK, free_port(), round_trips=1, seconds=0.01)


def test_a_listener_outlives_a_client_that_leaves_and_one_that_says_nonsense() -> None:
    import socket

    port = link.listen(LOOPBACK, seconds=10.0)
    for nonsense in (b"", b"?", link.COUNT):
        with socket.create_connection((LOOPBACK, port), timeout=5) as connection:
            connection.sendall(nonsense)
    assert link.measure_link(LOOPBACK, port, round_trips=1, seconds=0.01).bytes_per_second > 0
