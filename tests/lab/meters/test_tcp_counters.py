"""The kernel's own counters move when the thing itself happens."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from fairtrial.lab.meters.network import NetworkWatch, lends_ports_again, local_ports, time_wait_sockets
from tests.builders import a_trial
from tests.judge.checks.findings import in_trial, severities

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


def closed_connections(count: int, caller_first: bool) -> int:
    """So many are closed: how many more ports are kept afterwards."""
    before = time_wait_sockets()
    with socket.create_server(LOOPBACK) as listener:
        for _ in range(count):
            client = socket.create_connection(listener.getsockname())
            served, _ = listener.accept()
            for one in (client, served) if caller_first else (served, client):
                one.close()
    after = time_wait_sockets()
    assert before is not None
    assert after is not None
    return after - before


@pytest.mark.measures
def test_who_closes_first_keeps_the_port() -> None:
    """Others on this machine open and close connections, too; hence the room."""
    assert closed_connections(200, caller_first=True) > 150
    assert closed_connections(200, caller_first=False) < 50
    ports = local_ports()
    assert ports is not None
    assert ports > 1000


@pytest.mark.parametrize(
    ("reuse", "timestamps", "lent"),
    [("0", "1", False), ("1", "1", True), ("2", "1", True), ("2", "0", False), (None, "1", None), ("x", "1", None)],
)
def test_whether_ports_are_lent_again(reuse: str | None, timestamps: str, lent: bool | None, tmp_path: Path) -> None:
    settings = tmp_path / "proc/sys/net/ipv4"
    settings.mkdir(parents=True)
    if reuse is not None:
        (settings / "tcp_tw_reuse").write_text(f"{reuse}\n")
    (settings / "tcp_timestamps").write_text(f"{timestamps}\n")
    assert lends_ports_again(tmp_path) is lent
