"""One connection to a server, which finds out where it is reached, or says in one sentence why it is not."""

import errno
import ipaddress
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.happy_eyeballs import Address, addresses_of, first_connected, in_words
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


FirstConnected = Callable[[Sequence[Address], float], socket.socket]
"""Connects to the first address that takes it, as `first_connected` does."""

AddressChoice = Literal["first", "all"]
"""Of the addresses of a name, the one that takes a connection first, or all of them."""


@dataclass(frozen=True)
class Endpoint:
    """Where the engine connects, as its plan writes it; `local`: the server runs on this machine."""

    address: str
    local: bool
    other_addresses: tuple[str, ...] = ()
    """further ones of the same host, where all are wanted"""

    @property
    def addresses(self) -> set[str]:
        """All of them."""
        return {self.address, *self.other_addresses}


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


def connect_once(
    hostname: str,
    port: int,
    wait_seconds: float,
    source: str = "",
    addresses: AddressChoice = "first",
    first: FirstConnected | None = None,
) -> Endpoint:
    """Connect once and close again, as `connect`."""
    connection, endpoint = connect(hostname, port, wait_seconds, source, addresses, first)
    connection.close()
    return endpoint


def connect(
    hostname: str,
    port: int,
    wait_seconds: float,
    source: str = "",
    addresses: AddressChoice = "first",
    first: FirstConnected | None = None,
) -> tuple[socket.socket, Endpoint]:
    """A connection to the address of a host that takes one first: `localhost` often has two, and a server listens on
    one.

    Args:
        source: what messages call the host that connects; empty: nothing.
        addresses: of the host that the endpoint has; of `all`, each has to take a connection.
        first: how it connects; None: by `first_connected`.

    Raises:
        Problem: the name has no address, or nothing answers there; with exit status 4, as nothing ran.
    """
    name, from_where = printable(hostname), f", from {source}" if source else ""
    try:
        choices = addresses_of(hostname, port)
    except (socket.gaierror, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a valid name"
        raise Problem(
            f"{name}{from_where}: no address found: {why}",
            "check the host's name, and that name servers can be reached",
            NOTHING_RAN,
        ) from error
    try:
        first = first or first_connected
        connection = first(choices, wait_seconds)
    except OSError as error:
        where = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
        raise _unreachable(f"{where}{from_where}", error) from error
    address, is_local = in_words(connection.getpeername()), _is_local(connection)
    others = [each for each in choices if str(each) != address] if addresses == "all" else []
    for other in others:
        try:
            is_local |= _takes_connection(other, wait_seconds, first)
        except OSError as error:
            connection.close()
            where = f"{other}, one of {len(choices)} addresses of {name}{from_where}"
            raise _unreachable(where, error) from error
    return connection, Endpoint(address, is_local, tuple(map(str, others)))


def _takes_connection(address: Address, wait_seconds: float, first: FirstConnected) -> bool:
    """Whether an address that takes a connection is of this machine.

    Raises:
        OSError: it takes none.
    """
    with first([address], wait_seconds) as connection:
        return _is_local(connection)


def _is_local(connection: socket.socket) -> bool:
    ip = connection.getpeername()[0]
    return ip == connection.getsockname()[0] or ipaddress.ip_address(ip.partition("%")[0]).is_loopback


def _unreachable(where: str, error: OSError) -> Problem:
    """Why a server cannot be reached, with a remedy."""
    number = errno.ETIMEDOUT if isinstance(error, TimeoutError) else error.errno or 0
    why = os.strerror(number).lower() if number else printable(str(error))
    return Problem(f"{where}: {why}", REMEDIES.get(number, "check the address"), NOTHING_RAN)
