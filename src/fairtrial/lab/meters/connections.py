"""TCP connections that the processes of a stack hold."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from fairtrial.engine.process_tree import processes_below

ESTABLISHED = "01"
"""State of a socket in /proc/net/tcp (include/net/tcp_states.h of Linux)."""


def connections_to(port: int, *guard_pids: int) -> int:
    """Return how many connections to this port the processes below the guards hold; one that they share counts once.

    Sockets are matched with processes by their inodes (proc(5)). /proc/net/tcp is read once and not for each process:
    after a load without keep-alive it has a line for each of thousands of closed connections.
    """
    sockets = {f"socket:[{inode}]" for inode in _inodes_to(port)}
    held: set[str] = set()
    for process in processes_below(*guard_pids):
        descriptors = Path(f"/proc/{process.pid}/fd")
        with suppress(OSError):  # it ended meanwhile
            for descriptor in descriptors.iterdir():
                with suppress(OSError):
                    held.add(os.readlink(descriptor))
    return len(sockets & held)


def _inodes_to(port: int) -> Iterator[str]:
    """The inodes of established sockets whose peer is at this port. A runtime may reach IPv4 by sockets of IPv6."""
    ending = f":{port:04X}"
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in Path("/proc/net", name).read_text().splitlines()[1:]:
                _number, _local, remote, state, *_rest, inode = line.split(maxsplit=10)[:10]
                if state == ESTABLISHED and remote.endswith(ending):
                    yield inode
