"""Connections of a process tree to one port."""

import os
import socket
import subprocess
import sys

from fairtrial.lab.meters.connections import connections_to, inodes_to

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
            assert connections_to(port, os.getpid()) == 3
            assert connections_to(elsewhere, os.getpid()) == 1
            assert connections_to(1, os.getpid()) == 0


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
            assert inodes_to(port) == {os.fstat(kept.fileno()).st_ino}
