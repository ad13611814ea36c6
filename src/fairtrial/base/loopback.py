"""The loopback address, on which everything listens, and its ports."""

import socket
from contextlib import suppress
from ipaddress import IPv6Address, ip_address

import psutil

from fairtrial.base.printable import printable

LOOPBACK = "127.0.0.1"


def free_port(host: str = LOOPBACK) -> int:
    """A TCP port of an IPv4 address, on which no process listens. Another process can take it before it is used."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


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
