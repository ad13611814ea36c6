"""TCP connections that the processes of a stack hold, and whether they carry work."""

import os
import struct
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from fairtrial.engine.process_tree import Root, processes_below
from fairtrial.lab.meters.sockets import sockets_at

WITH_INFO = 2
"""Of the extensions, the bit of INET_DIAG_INFO: a tcp_info in an attribute of that number."""
INODE = struct.Struct("=I")
INODE_AT = 68
"""Offset in inet_diag_msg, whose last field it is."""
ATTRIBUTE = struct.Struct("=HH")
"""rtattr (rtnetlink(7)): length, type."""
OUT = struct.Struct("=I")
OUT_AT = 156
"""Offset of tcpi_data_segs_out in tcp_info, since Linux 4.6 (include/uapi/linux/tcp.h): segments with data."""

FIRST_MESSAGES = 3
CHECK_SECONDS = 10.0
"""A driver that watches its server says hello when it connects and once more, and then every ten seconds, in messages
of one segment (MongoDB, Server Monitoring specification, heartbeatFrequencyMS). It logs in by none of them."""


@dataclass(frozen=True)
class Connections:
    """Those to one port.

    Attributes:
        at_work: those on which more was sent than a driver that watches its server does; none of a kernel that does not
            tell what was sent.
    """

    number: int
    at_work: int


def connections_to(port: int, *roots: Root, with_work: bool = False) -> Connections | None:
    """The connections to this port that the processes below the guards hold; one that they share counts once.

    Args:
        with_work: whether the kernel is asked what was sent on each, which makes its list five times as long.

    Sockets are matched with processes by their inodes (proc(5)). None: this kernel does not list its sockets.
    """
    by_inode = sent_to(port, with_work=with_work)
    if by_inode is None:
        return None
    sockets = {f"socket:[{inode}]": segments for inode, segments in by_inode.items()}
    is_at_work: dict[str, bool] = {}
    for process in processes_below(*roots) if sockets else ():
        descriptors = Path(f"/proc/{process.pid}/fd")
        with suppress(OSError, psutil.Error):  # it ended meanwhile
            checks = FIRST_MESSAGES + (time.time() - process.create_time()) / CHECK_SECONDS
            for descriptor in descriptors.iterdir():
                with suppress(OSError):
                    target = os.readlink(descriptor)
                    if target in sockets:
                        is_at_work[target] = sockets[target] > checks
    return Connections(len(is_at_work), sum(is_at_work.values()))


def sent_to(port: int, *, with_work: bool = False) -> Mapping[int, int] | None:
    """By the inode of each established socket whose peer is at this port, how many segments with data it has sent, 0
    unless that is asked for; None if the kernel does not list them.

    The kernel itself selects them: to read /proc/net/tcp would take so long that the window opens meanwhile.
    """
    try:
        return {
            INODE.unpack_from(message, INODE_AT)[0]: _segments(message[INODE_AT + INODE.size :])
            for message in sockets_at(destination=port, extensions=WITH_INFO if with_work else 0)
        }
    except OSError:
        return None


def _segments(attributes: bytes) -> int:
    """How many segments with data were sent; 0 if the kernel does not tell."""
    while len(attributes) >= ATTRIBUTE.size:
        length, kind = ATTRIBUTE.unpack_from(attributes)
        if kind == WITH_INFO and length >= ATTRIBUTE.size + OUT_AT + OUT.size:
            return int(OUT.unpack_from(attributes, ATTRIBUTE.size + OUT_AT)[0])
        attributes = attributes[max((length + 3) & ~3, ATTRIBUTE.size) :]
    return 0
