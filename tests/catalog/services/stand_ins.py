"""Stand-ins for servers of another time: they speak just enough of a protocol to say how old they are."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import bson

from fairtrial.base.loopback import LOOPBACK

Speak = Callable[[socket.socket], None]


@contextmanager
def standing_in(speak: Speak) -> Iterator[int]:
    """A server that runs `speak` with everybody who connects; yields its port."""
    listener = socket.create_server((LOOPBACK, 0))

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError, struct.error):
            speak(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=serve, args=[connection], daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def postgresql(version: str) -> Speak:
    """Protocol 3.0: lets everybody in (AuthenticationOk), sends its version, and is ready. It answers no query."""

    def message(kind: bytes, content: bytes) -> bytes:
        return kind + struct.pack("!i", 4 + len(content)) + content

    def speak(connection: socket.socket) -> None:
        _startup(connection)
        parameters = b"".join(
            message(b"S", name + b"\0" + value + b"\0")
            for name, value in ((b"server_version", version.encode()), (b"client_encoding", b"UTF8"))
        )
        connection.sendall(message(b"R", struct.pack("!i", 0)) + parameters + message(b"Z", b"I"))
        connection.recv(1)

    return speak


def postgresql_of_protocol_2(connection: socket.socket) -> None:
    """It answers a startup packet of protocol 3 by an error of its own protocol (up to PostgreSQL 7.3)."""
    _startup(connection)
    connection.sendall(b"EFATAL:  unsupported frontend protocol\n\0")


def _startup(connection: socket.socket) -> None:
    """Read the packet that begins a session of protocol 3.0."""
    code = 0
    while code != 3 << 16:
        if code:
            connection.sendall(b"N")  # neither TLS nor GSSAPI
        length, code = struct.unpack("!ii", _read(connection, 8))
        _read(connection, length - 8)


def mariadb(version: str) -> Speak:
    """Protocol 10: greets, and answers OK to every packet."""

    def packet(number: int, content: bytes) -> bytes:
        return struct.pack("<I", len(content))[:3] + bytes([number]) + content

    def speak(connection: socket.socket) -> None:
        abilities, utf8 = 0x8000F7FF, 33  # without TLS
        connection.sendall(
            packet(
                0,
                b"\x0a" + version.encode() + b"\0" + struct.pack("<I", 1) + b"12345678\0"
                + struct.pack("<HBHH", abilities & 0xF7FF, utf8, 2, abilities >> 16) + b"\x15" + bytes(10)
                + b"123456789012\0" + b"mysql_native_password\0",
            )
        )  # fmt: skip
        while True:
            head = _read(connection, 4)
            _read(connection, int.from_bytes(head[:3], "little"))
            connection.sendall(packet(head[3] + 1, b"\0\0\0" + struct.pack("<HH", 2, 0)))

    return speak


def mongodb(wire_version: int) -> Speak:
    """Answers the client's first question by OP_MSG, which is as old as MongoDB 3.6 (wire version 6)."""

    def speak(connection: socket.socket) -> None:
        while True:
            length, request, _, _ = struct.unpack("<iiii", _read(connection, 16))
            _read(connection, length - 16)
            hello = {"ok": 1.0, "ismaster": True, "helloOk": False, "minWireVersion": 0, "maxWireVersion": wire_version}
            reply = struct.pack("<ib", 0, 0) + bson.encode(hello)
            connection.sendall(struct.pack("<iiii", 16 + len(reply), 1, request, 2013) + reply)

    return speak


def _read(connection: socket.socket, count: int) -> bytes:
    read = b""
    while len(read) < count:
        part = connection.recv(count - len(read))
        if not part:
            raise OSError("the client is gone")
        read += part
    return read
