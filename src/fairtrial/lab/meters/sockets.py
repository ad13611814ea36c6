"""The kernel's own list of established TCP sockets, and what is unread in each (sock_diag(7)).

/proc/net/tcp has a line for each closed connection, too: after a load without keep-alive these are tens of thousands.
To look through the kernel's table takes a millisecond and more; to ask after a socket that is known takes three
microseconds.
"""

import socket
import struct
from collections.abc import Iterator, Sequence

NETLINK_SOCK_DIAG = 4
DIAGNOSE_BY_FAMILY = 20
REQUEST_ONE, REQUEST_ALL = 0x1, 0x301
"""NLM_F_REQUEST, and with NLM_F_DUMP."""
END_OF_ANSWER, ERROR = 3, 2
"""NLMSG_DONE, NLMSG_ERROR."""
ESTABLISHED = 1
"""State of a socket (include/net/tcp_states.h of Linux)."""
ANY_STATE = 0xFFFFFFFF
RECEIVE_BYTES = 1 << 16
ANSWER_WITHIN_SECONDS = 1.0

HEADER = struct.Struct("=IHHII")
"""nlmsghdr (netlink(7)): length, type, flags, sequence number, port."""
REQUEST = struct.Struct("=BBBxI")
"""The beginning of inet_diag_req_v2 (sock_diag(7)): family, protocol, extensions, states as bits."""
PORTS = struct.Struct("!HH")
"""The beginning of inet_diag_sockid: source and destination port. Addresses, interface and cookie follow."""
REST_OF_ID_BYTES = 44
ID = slice(4, 4 + PORTS.size + REST_OF_ID_BYTES)
"""Of inet_diag_msg, which begins with the family."""
STATE_AT = 1
UNREAD, UNREAD_AT = struct.Struct("=I"), 56
"""Offset in inet_diag_msg: idiag_rqueue."""


def sockets_at(*, source: int = 0, destination: int = 0, extensions: int = 0) -> Iterator[bytes]:
    """The inet_diag_msg of each established socket at the port `source`, whose peer is at `destination`; 0: any.

    A runtime may reach IPv4 by sockets of IPv6.

    Args:
        extensions: bits of attributes that follow.

    Raises:
        OSError: the kernel does not list its sockets.
    """
    for family in (socket.AF_INET, socket.AF_INET6):
        with kernel_socket() as kernel:
            ports = PORTS.pack(source, destination) + bytes(REST_OF_ID_BYTES)
            kernel.sendall(_message(REQUEST_ALL, family, extensions, 1 << ESTABLISHED, ports))
            while (messages := list(_messages(kernel.recv(RECEIVE_BYTES)))) and messages[-1][0] != END_OF_ANSWER:
                yield from _diagnosed(messages)
            yield from _diagnosed(messages[:-1])


def kernel_socket() -> socket.socket:
    """A socket to ask the kernel by; to be closed.

    Raises:
        OSError: this kernel has no such.
    """
    kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG)
    kernel.settimeout(ANSWER_WITHIN_SECONDS)
    return kernel


def questions_about(sockets: Sequence[bytes]) -> bytes:
    """Questions of `unread_bytes` to the kernel about these sockets, which are from `sockets_at`."""
    return b"".join(_message(REQUEST_ONE, each[0], 0, ANY_STATE, each[ID]) for each in sockets)


def unread_bytes(kernel: socket.socket, questions: bytes, count: int) -> list[int | None]:
    """How many bytes are unread in each of `count` sockets, one at least; None: it is established no more.

    All are looked at before this waits for anything: the kernel answers a question while it is sent.

    Args:
        questions: about these sockets, in this order.

    Raises:
        OSError: the kernel does not answer.
    """
    kernel.sendall(questions)
    unread: list[int | None] = []
    for _ in range(count):
        ((kind, message),) = _messages(kernel.recv(RECEIVE_BYTES))
        is_there = kind != ERROR and message[STATE_AT] == ESTABLISHED
        unread.append(UNREAD.unpack_from(message, UNREAD_AT)[0] if is_there else None)
    return unread


def _message(flags: int, family: int, extensions: int, states: int, identity: bytes) -> bytes:
    request = REQUEST.pack(family, socket.IPPROTO_TCP, extensions, states) + identity
    return HEADER.pack(HEADER.size + len(request), DIAGNOSE_BY_FAMILY, flags, 1, 0) + request


def _messages(received: bytes) -> Iterator[tuple[int, bytes]]:
    """The kind and the content of each message."""
    at = 0
    while at < len(received):
        length, kind, _flags, _sequence, _port = HEADER.unpack_from(received, at)
        yield kind, received[at + HEADER.size : at + length]
        at += (length + 3) & ~3


def _diagnosed(messages: Sequence[tuple[int, bytes]]) -> Iterator[bytes]:
    for kind, message in messages:
        if kind == ERROR:
            raise OSError("the kernel refused to list its sockets")
        yield message
