"""The kernel's own counters change when what they count happens."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from fairtrial.base.network_namespace import network_namespace
from fairtrial.lab.meters.network import NetworkWatch, local_ports, reuses_time_wait_ports, time_wait_sockets
from tests.base.test_network_namespace import in_a_thread
from tests.builders import a_trial
from tests.judge.checks.findings import in_trial, severities
from tests.machine.needs import needs

LOOPBACK = ("127.0.0.1", 0)


def test_a_listener_that_never_accepts_overflows() -> None:
    watch = NetworkWatch()
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.create_server(LOOPBACK, backlog=0))
        watch.open()
        for _ in range(4):
            client = sockets.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        meter = watch.close()
    assert meter.listen_overflows is not None and meter.listen_overflows >= 1
    assert severities(in_trial("backlog-overflow", a_trial().but(network=meter))) == ["warning"]


def ports_occupied_by(connections: int, client_first: bool, root: Path) -> int:
    """How many more ports are occupied after this many connections were opened and closed."""
    before = time_wait_sockets(root)
    with socket.create_server(LOOPBACK) as listener:
        for _ in range(connections):
            client = socket.create_connection(listener.getsockname())
            served, _ = listener.accept()
            for side in (client, served) if client_first else (served, client):
                side.close()
    after = time_wait_sockets(root)
    assert before is not None
    assert after is not None
    return after - before


@needs("network-namespace")
def test_the_side_that_closes_first_occupies_a_port(tmp_path: Path) -> None:
    """In a network of its own: the machine's has ports that a load has just left, and they are counted once."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/net").symlink_to("/proc/thread-self/net")

    def compare() -> None:
        with network_namespace():
            assert ports_occupied_by(200, client_first=True, root=tmp_path) == 200
            assert ports_occupied_by(200, client_first=False, root=tmp_path) == 1

    in_a_thread(compare)


def test_this_machine_has_local_ports() -> None:
    ports = local_ports()
    assert ports is not None
    assert ports > 1000


@pytest.mark.parametrize(
    ("reuse", "timestamps", "reused"),
    [("0", "1", False), ("1", "1", True), ("2", "1", True), ("2", "0", False), (None, "1", None), ("x", "1", None)],
)
def test_whether_ports_in_time_wait_are_reused(
    reuse: str | None, timestamps: str, reused: bool | None, tmp_path: Path
) -> None:
    settings = tmp_path / "proc/sys/net/ipv4"
    settings.mkdir(parents=True)
    if reuse is not None:
        (settings / "tcp_tw_reuse").write_text(f"{reuse}\n")
    (settings / "tcp_timestamps").write_text(f"{timestamps}\n")
    assert reuses_time_wait_ports(tmp_path) is reused
