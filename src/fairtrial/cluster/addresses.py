"""Addresses of a cluster: what is one, whether it may be used without TLS, and the way to it."""

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem


def host_of(address: str) -> str:
    """The IP address or host name in `tcp://HOST:PORT`."""
    return urlsplit(address).hostname or ""


def worker_name(worker: str) -> str:
    """The name of the worker at this address in messages."""
    return f"the worker at {printable(worker, 60)}"


def assert_safe(address: str, whose: str, *, unencrypted: bool) -> None:
    """Refuse an address that is none, or is without TLS and beyond loopback.

    Raises:
        Problem: it is refused.
    """
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts.scheme not in ("tcp", "tls") or not host or not port:
        raise Problem(
            f"{printable(address, 80)} is no address of a Dask cluster", "write tls://HOST:PORT or tcp://HOST:PORT"
        )
    if parts.scheme == "tcp" and not unencrypted and not _is_loopback(host):
        raise Problem(
            f"the connection to {whose} at {printable(address, 80)} is unencrypted: whoever can reach it runs programs "
            "on all hosts",
            "set the cluster up with TLS (https://distributed.dask.org/en/stable/tls.html), or pass --unencrypted if "
            "nobody else is on its network",
        )


def local_address_towards(address: str) -> str:
    """The address of this machine from which it connects to another. Nothing is sent.

    Raises:
        Problem: there is no way to it.
    """
    try:
        (family, kind, protocol, _, place), *_ = socket.getaddrinfo(address, 9, type=socket.SOCK_DGRAM)
        with socket.socket(family, kind, protocol) as way:
            way.connect(place)
            address_here: str = way.getsockname()[0]
            return address_here
    except OSError as error:
        raise Problem(
            f"no way to the host at {printable(address, 60)}: {error.strerror}", "check its address", NOTHING_RAN
        ) from error


def _is_loopback(host: str) -> bool:
    """Whether all that a name or an address stands for is loopback. What cannot be resolved is not."""
    try:
        addresses = {info[4][0] for info in socket.getaddrinfo(host, None, proto=socket.IPPROTO_TCP)}
        return bool(addresses) and all(ip_address(str(each).partition("%")[0]).is_loopback for each in addresses)
    except (OSError, ValueError):
        return False
