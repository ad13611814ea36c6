"""The loopback address, on which everything listens, and its ports."""

import random
import socket
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path

import psutil

from fairtrial.base.printable import printable

LOOPBACK = "127.0.0.1"


OUTGOING_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
"""Has the ports that the kernel gives to connections which are opened from here (ip(7)): the lowest, the highest."""
LOWEST_PORT = 20_000
"""Below it are the usual ports of services."""
TRIES = 100


def outgoing_ports(file: Path) -> range:
    """The ports that the kernel gives to connections.

    Raises:
        OSError or ValueError: it does not tell.
    """
    lowest, highest = map(int, file.read_text(encoding="utf-8").split())
    return range(lowest, highest + 1)


def free_port(host: str = LOOPBACK) -> int:
    """A TCP port of an IPv4 address, on which no process listens. Another process can take it before it is used.

    No connection from here can: where the kernel leaves enough ports below those that it gives to connections, it is
    one of these. A load opens thousands of connections between the choice of a service's port and its start.
    """
    with suppress(OSError, ValueError):
        below = range(LOWEST_PORT, outgoing_ports(OUTGOING_PORTS).start)
        for port in random.sample(below, TRIES):
            with suppress(OSError), socket.socket() as probe:
                probe.bind((host, port))
                return port
    with socket.socket() as probe:
        probe.bind((host, 0))
        any_port: int = probe.getsockname()[1]
        return any_port


def is_free(port: int) -> bool:
    """Whether a program could listen on this port of loopback, or of all addresses, now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # closed connections (TIME_WAIT) hold no port back
        try:
            probe.bind((LOOPBACK, port))
        except PermissionError:  # a port below 1024: whoever may not bind it can't tell this way
            return not listens(port)
        except OSError:
            return False
        return True


def holder(port: int) -> str:
    """Who listens on this port, for a message: `python3 (process 4711)`; in general terms where it cannot be told."""
    for connection in psutil.net_connections(kind="tcp"):
        if connection.status != psutil.CONN_LISTEN or connection.pid is None or not connection.laddr:
            continue
        if connection.laddr.port == port:
            with suppress(psutil.Error):
                return f"{printable(psutil.Process(connection.pid).name(), 40)} (process {connection.pid})"
    return "a process of another user or container"


def listens(port: int, host: str = LOOPBACK) -> bool:
    """Whether a process accepts connections on this port, within a second."""
    try:
        with socket.create_connection((host, port), timeout=1.0):
            return True
    except OSError:
        return False


def is_address(address: str, expected: str = LOOPBACK) -> bool:
    """Whether an IP address is the expected one, in whatever form: a JVM's socket has `::ffff:127.0.0.1`."""
    parsed = ip_address(address)
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return (mapped or parsed) == ip_address(expected)
