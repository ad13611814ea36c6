"""The search for a local port, simulated, beside that of this kernel."""

import random
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from benches import ports
from fairtrial.base.network_namespace import network_namespace
from tests.base.test_network_namespace import in_a_thread
from tests.machine.needs import needs

LOW, PORTS = 40_000, 60
RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
IP_BIND_ADDRESS_NO_PORT = 24
"""ip(7); the module socket has no name for it yet"""


def test_the_page_has_what_is_simulated() -> None:
    assert ports.text() in ports.PAGE.read_text()


def test_ports_of_the_lowest_one_s_parity_come_first_then_each_connect_passes_all_of_them() -> None:
    pair = ports.Pair(1000, random.Random(1))
    looked_at = [pair.connect() for _ in range(1001)]
    assert looked_at[-1] is None
    first, second = (looked_at[:500], looked_at[500:-1])
    assert all(1 <= (each or 0) <= 500 for each in first) and all(500 < (each or 0) <= 1000 for each in second)
    assert first[:20] == [1] * 20, "the place moves on by more than it takes"


def test_each_port_is_taken_once_and_from_another_source_once_more() -> None:
    half = ports.Half(100)
    drawn = random.Random(1)
    starts = [drawn.randrange(100) for _ in range(100)]
    taken = [(start + half.take(start)) % 100 for start in starts]
    assert sorted(taken) == list(range(100)) and half.free == 0
    assert ports.opened(1000, 1, ports=500) is None
    both = ports.opened(1000, 4, ports=500)
    assert both is not None and both.ports_each < 250


@needs("network-namespace")
def test_the_kernel_of_this_machine_searches_as_is_simulated() -> None:
    """In a network of its own with sixty ports: half of them, and then the others, from each of two sources."""

    def compare() -> None:
        with ExitStack() as stack:
            stack.enter_context(network_namespace())
            try:
                RANGE.write_text(f"{LOW} {LOW + PORTS - 1}")
            except OSError:  # read-only in some containers, whoever asks
                return
            server = stack.enter_context(socket.create_server(("127.0.0.1", 9), backlog=4 * PORTS))

            def offset(source: str) -> int:
                client = stack.enter_context(socket.socket())
                client.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
                client.bind((source, 0))
                client.connect(server.getsockname())
                port: int = client.getsockname()[1]
                return port - LOW

            for source in ("127.0.0.2", "127.0.0.3"):
                offsets = [offset(source) for _ in range(PORTS)]
                assert sorted(offsets[: PORTS // 2]) == list(range(0, PORTS, 2))
                assert sorted(offsets[PORTS // 2 :]) == list(range(1, PORTS, 2))
            with pytest.raises(OSError, match="Cannot assign"):
                offset("127.0.0.3")

    in_a_thread(compare)
