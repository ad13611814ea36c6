"""Connections that a server beside the one under load holds to it: at a drawn moment of a slice, and at its end."""

import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fairtrial.lab.meters.bystanders import BystanderWatch
from tests.waiting import wait_for

HOLDER = """
import os, socket, sys
if os.fork():
    os.wait()
    sys.exit()
held = [socket.create_connection(("127.0.0.1", int(port))) for port in sys.argv[1:]]
print("ready", flush=True)
sys.stdin.readline()
for each in held:
    each.close()
print("closed", flush=True)
sys.stdin.readline()
"""
"""Its child is a server beside; what is below this test is below its guard."""


@contextmanager
def holder(*ports: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", HOLDER, *map(str, ports)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield process
        assert process.stdin is not None
        process.stdin.close()  # by which its child ends, and then it does


def connected(ports: Sequence[int], *idle: int) -> set[int]:
    """Whom a watch over a slice that has just begun sees at its end."""
    watch = BystanderWatch(ports, [[each] for each in idle], 60.0)
    watch.open()
    watch.close()
    return watch.connected


def test_who_holds_a_connection_at_the_end_of_a_slice_is_told_from_those_who_do_not() -> None:
    """The load's own connections are nobody's beside it, and what a server has open to itself is its own."""
    with socket.create_server(("127.0.0.1", 0)) as asked, socket.create_server(("127.0.0.1", 0)) as other:
        port, elsewhere = asked.getsockname()[1], other.getsockname()[1]
        with (
            holder(port) as asking,
            holder(elsewhere) as apart,
            socket.create_connection(("127.0.0.1", port)),
        ):
            assert connected([port], apart.pid, asking.pid) == {1}
            assert connected([1, port], asking.pid) == {0}, "of several ports each counts"
            assert connected([port], apart.pid) == set()


def test_who_lets_go_before_the_end_is_seen_at_the_drawn_moment() -> None:
    with socket.create_server(("127.0.0.1", 0)) as asked, holder(asked.getsockname()[1]) as asking:
        watch = BystanderWatch([asked.getsockname()[1]], [[asking.pid]], 0.001)
        watch.open()
        wait_for(lambda: watch.connected, "nobody was seen")
        assert asking.stdin is not None and asking.stdout is not None
        asking.stdin.write("close\n")
        asking.stdin.flush()
        assert asking.stdout.readline() == "closed\n"
        assert connected([asked.getsockname()[1]], asking.pid) == set()
        watch.close()
        assert watch.connected == {0}
