"""TCP connections that the processes of a stack hold."""

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from fairtrial.engine.process_tree import Root, processes_below

NETLINK_SOCK_DIAG = 4
DIAGNOSE_BY_FAMILY = 20
REQUEST_ALL = 0x301
"""NLM_F_REQUEST | NLM_F_DUMP."""
END_OF_ANSWER, ERROR = 3, 2
"""NLMSG_DONE, NLMSG_ERROR."""
ESTABLISHED = 1
"""State of a socket (include/net/tcp_states.h of Linux)."""
RECEIVE_BYTES = 1 << 16
ANSWER_WITHIN_SECONDS = 1.0

HEADER = struct.Struct("=IHHII")
"""nlmsghdr (netlink(7)): length, type, flags, sequence number, port."""
REQUEST = struct.Struct("=BBBxI")
"""The beginning of inet_diag_req_v2 (sock_diag(7)): family, protocol, extensions, states as bits."""
PORTS = struct.Struct("!HH")
"""The beginning of inet_diag_sockid: source and destination port. Addresses, interface and cookie follow."""
REST_OF_ID_BYTES = 44
INODE = struct.Struct("=I")
INODE_AT = 68
"""Offset in inet_diag_msg, whose last field it is."""


def connections_to(port: int, *roots: Root) -> int | None:
    """Return how many connections to this port the processes below the guards hold; one that they share counts once.

    Sockets are matched with processes by their inodes (proc(5)). None: this kernel does not list its sockets.
    """
    inodes = inodes_to(port)
    if inodes is None:
        return None
    sockets = {f"socket:[{inode}]" for inode in inodes}
    descriptor_targets: set[str] = set()
    for process in processes_below(*roots) if sockets else ():
        descriptors = Path(f"/proc/{process.pid}/fd")
        with suppress(OSError):  # it ended meanwhile
            for descriptor in descriptors.iterdir():
                with suppress(OSError):
                    descriptor_targets.add(os.readlink(descriptor))
    return len(sockets & descriptor_targets)


def inodes_to(port: int) -> set[int] | None:
    """The inodes of established sockets whose peer is at this port; None if the kernel does not list them.

    The kernel itself selects them (sock_diag(7)). /proc/net/tcp has a line for each closed connection, too: after a
    load without keep-alive these are tens of thousands, and to read them takes so long that the window opens meanwhile.
    A runtime may reach IPv4 by sockets of IPv6.
    """
    inodes: set[int] = set()
    try:
        for family in (socket.AF_INET, socket.AF_INET6):
            inodes.update(_inodes(family, port))
    except OSError:
        return None
    return inodes


def _inodes(family: int, port: int) -> Iterator[int]:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as kernel:
        kernel.settimeout(ANSWER_WITHIN_SECONDS)
        request = REQUEST.pack(family, socket.IPPROTO_TCP, 0, 1 << ESTABLISHED) + PORTS.pack(0, port)
        request += bytes(REST_OF_ID_BYTES)
        kernel.sendall(HEADER.pack(HEADER.size + len(request), DIAGNOSE_BY_FAMILY, REQUEST_ALL, 1, 0) + request)
        while True:
            received = kernel.recv(RECEIVE_BYTES)
            at = 0
            while at < len(received):
                length, kind, _flags, _sequence, _port = HEADER.unpack_from(received, at)
                if kind == END_OF_ANSWER:
                    return
                if kind == ERROR:
                    raise OSError("the kernel refused to list its sockets")
                (inode,) = INODE.unpack_from(received, at + HEADER.size + INODE_AT)
                yield inode
                at += (length + 3) & ~3
