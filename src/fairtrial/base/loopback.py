"""The loopback address, on which everything listens, and its ports."""

import socket
from ipaddress import IPv6Address, ip_address

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """A TCP port on which no process listens. Another process can take it before it is used."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether a process accepts connections on this port, within a second."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1.0):
            return True
    except OSError:
        return False


def is_loopback(address: str) -> bool:
    """Whether an address is `LOOPBACK`, in whatever form: a JVM's socket has it as `::ffff:127.0.0.1`."""
    parsed = ip_address(address)
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return (mapped or parsed) == ip_address(LOOPBACK)
