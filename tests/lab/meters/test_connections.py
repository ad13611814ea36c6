"""Connections of a process tree to one port."""

import os
import socket
import subprocess
import sys

from fairtrial.lab.meters.connections import Connections, connections_to, sent_to

HOLDER = """
import os, socket, sys
held = [socket.create_connection(("127.0.0.1", int(port))) for port in sys.argv[1:]]
if os.fork() == 0:  # shares them all, and holds one of its own
    held.append(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
    print("ready", flush=True)
sys.stdin.read()
"""


def test_connections_are_those_of_the_tree_to_the_port_each_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as asked, socket.create_server(("127.0.0.1", 0)) as other:
        port, elsewhere = asked.getsockname()[1], other.getsockname()[1]
        ports = [str(number) for number in (port, port, elsewhere)]
        command = [sys.executable, "-c", HOLDER, *ports]
        with (
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder,
            socket.create_connection(("127.0.0.1", port)),  # not of a process below this one
        ):
            assert holder.stdout is not None
            assert holder.stdout.readline() == "ready\n"
            assert connections_to(port, os.getpid()) == Connections(3, 0)
            assert connections_to(elsewhere, os.getpid()) == Connections(1, 0)
            assert connections_to(1, os.getpid()) == Connections(0, 0)


def test_closed_connections_are_not_listed() -> None:
    """A load without keep-alive leaves thousands of them; to read past them took longer than the warm-up."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port)):
                accepted, _ = server.accept()
            accepted.close()  # after its peer, whose port stays occupied
        kept = socket.create_connection(("127.0.0.1", port))
        with kept:
            assert set(sent_to(port) or ()) == {os.fstat(kept.fileno()).st_ino}


def test_what_was_sent_tells_work_from_hellos() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        address = "127.0.0.1", port
        with socket.create_connection(address) as quiet, socket.create_connection(address) as busy:
            for connection, messages in ((quiet, 3), (busy, 9)):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for _ in range(messages):
                    connection.sendall(b"hello")
            sent = sent_to(port, with_work=True)
            assert sent == {os.fstat(quiet.fileno()).st_ino: 3, os.fstat(busy.fileno()).st_ino: 9}
