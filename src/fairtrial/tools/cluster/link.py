"""Round trips and bandwidth between two hosts, over a TCP connection of its own.

It runs inside workers: one host listens for a bounded time, the other one connects.
"""

import socket
import struct
import threading
import time
from dataclasses import dataclass

CHUNK_BYTES = 1 << 18
ECHO, COUNT = b"e", b"c"
"""The first byte of a connection says what the listener does: send each byte back, or tell how many it received."""
TOTAL = struct.Struct("!Q")


def listen(address: str, seconds: float) -> int:
    """Listen on a free port of this address, in a thread that ends after so many seconds; return the port."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.create_server((address, 0), family=family)
    until = time.monotonic() + seconds
    threading.Thread(target=_serve, args=(listener, until), daemon=True).start()
    port: int = listener.getsockname()[1]
    return port


@dataclass(frozen=True)
class LinkTimes:
    """A link as it was found."""

    round_trips_seconds: list[float]
    """of one byte each"""
    bytes_per_second: float
    """from the first byte sent to the listener's word that it has received all of them"""


def measure_link(address: str, port: int, round_trips: int, seconds: float) -> LinkTimes:
    """Connect to a listener.

    Raises:
        OSError: the listener cannot be reached.
    """
    times = []
    with socket.create_connection((address, port), timeout=5.0) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(ECHO)
        for _ in range(round_trips):
            started = time.perf_counter()
            connection.sendall(b"x")
            if not connection.recv(1):
                raise ConnectionError("the listener closed the connection")
            times.append(time.perf_counter() - started)
    with socket.create_connection((address, port), timeout=5.0) as connection:
        connection.sendall(COUNT)
        chunk = bytes(CHUNK_BYTES)
        started = time.perf_counter()
        while time.perf_counter() - started < seconds:
            connection.sendall(chunk)
        connection.shutdown(socket.SHUT_WR)
        (received,) = TOTAL.unpack(_exactly(connection, TOTAL.size))
        elapsed = time.perf_counter() - started
    return LinkTimes(times, received / elapsed)


def _exactly(connection: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        more = connection.recv(size - len(content))
        if not more:
            raise ConnectionError("the listener closed the connection")
        content += more
    return content


def _serve(listener: socket.socket, until: float) -> None:
    with listener:
        while (left := until - time.monotonic()) > 0:
            listener.settimeout(left)
            try:
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(max(0.01, until - time.monotonic()))
                    _answer(connection)
            except OSError:  # nobody came in time, or a client left early
                continue


def _answer(connection: socket.socket) -> None:
    kind = connection.recv(1)
    if kind == ECHO:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while content := connection.recv(64):
            connection.sendall(content)
    elif kind == COUNT:
        space, total = bytearray(1 << 20), 0
        while received := connection.recv_into(space):
            total += received
        connection.sendall(TOTAL.pack(total))
