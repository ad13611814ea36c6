"""One connection to a server, which finds out where it is reached, or says in one sentence why it is not."""

import errno
import ipaddress
import os
import socket
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

REMEDIES = {
    errno.ECONNREFUSED: "start the server, or check the port",
    errno.ENETUNREACH: "check the address, and that this machine has a route to it",
    errno.EHOSTUNREACH: "check the address, and that the host is up",
    errno.ETIMEDOUT: "check the address, and that no firewall drops the packets",
    errno.ENOENT: "check the path of the socket, and that the server runs",
    errno.EACCES: "check the permissions of the socket",
    errno.EMFILE: "raise the limit of open files: ulimit -n",
}


@dataclass(frozen=True)
class Endpoint:
    """Where the engine connects, as its plan writes it; `local`: the server runs on this machine."""

    address: str
    local: bool


def connect_unix(path: Path, wait_seconds: float) -> tuple[socket.socket, Endpoint]:
    """A connection to a Unix socket.

    Raises:
        Problem: nothing answers there; with exit status 4, as nothing ran.
    """
    absolute = str(path.absolute())
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(wait_seconds)
    try:
        connection.connect(absolute)
    except OSError as error:
        connection.close()
        raise _unreachable(str(path), error) from error
    return connection, Endpoint(f"unix:{absolute}", local=True)


def connect_once(hostname: str, port: int, wait_seconds: float, source: str = "") -> Endpoint:
    """Connect once and close again, as `connect`."""
    connection, endpoint = connect(hostname, port, wait_seconds, source)
    connection.close()
    return endpoint


def connect(hostname: str, port: int, wait_seconds: float, source: str = "") -> tuple[socket.socket, Endpoint]:
    """A connection to the first address of a host that answers: `localhost` often has two, and a server listens on one.

    Args:
        source: what messages call the host that connects; empty: nothing.

    Raises:
        Problem: the name has no address, or nothing answers there; with exit status 4, as nothing ran.
    """
    name, from_where = printable(hostname), f", from {source}" if source else ""
    try:
        connection = socket.create_connection((hostname, port), timeout=wait_seconds)
    except (socket.gaierror, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a valid name"
        raise Problem(
            f"{name}{from_where}: no address found: {why}",
            "check the host's name, and that name servers can be reached",
            NOTHING_RAN,
        ) from error
    except OSError as error:
        raise _unreachable(f"{_with_port(name, port)}{from_where}", error) from error
    ip = connection.getpeername()[0]
    is_own = ip == connection.getsockname()[0]
    local = is_own or ipaddress.ip_address(ip.partition("%")[0]).is_loopback
    return connection, Endpoint(_with_port(ip, port), local)


def _with_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _unreachable(where: str, error: OSError) -> Problem:
    """Why a server cannot be reached, with a remedy."""
    number = errno.ETIMEDOUT if isinstance(error, TimeoutError) else error.errno or 0
    why = os.strerror(number).lower() if number else printable(str(error))
    return Problem(f"{where}: {why}", REMEDIES.get(number, "check the address"), NOTHING_RAN)
