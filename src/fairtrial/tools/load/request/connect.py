"""One connection before the load, so that what cannot work is one clear message instead of a million errors.

It also chooses, among the addresses of a name, the first that answers.
"""

import errno
import ipaddress
import os
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.exit_status import NOTHING_RAN, WRONG_USE
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.plan import Tls
from fairtrial.tools.load.request.url import Url

LONGEST_WAIT_SECONDS = 5.0
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


def check_connection(url: Url, unix_socket: Path | None, tls: Tls | None, timeout_seconds: float) -> Endpoint:
    """Connect once, with TLS where the URL asks for it, and close again.

    Raises:
        Problem: the name has no address, nothing answers there, or TLS fails; with exit status 4, as nothing ran.
    """
    wait = min(timeout_seconds, LONGEST_WAIT_SECONDS)
    context = tls_context(tls) if tls is not None else None
    if unix_socket is not None:
        connection, endpoint = _connect_unix(unix_socket, wait)
    else:
        connection, endpoint = _connect_network(url.hostname, url.port, wait)
    with connection:
        if context is not None and tls is not None:
            _handshake(connection, context, tls.server_name)
    return endpoint


def _connect_unix(path: Path, wait_seconds: float) -> tuple[socket.socket, Endpoint]:
    absolute = str(path.absolute())
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(wait_seconds)
    try:
        connection.connect(absolute)
    except OSError as error:
        connection.close()
        raise _unreachable(str(path), error) from error
    return connection, Endpoint(f"unix:{absolute}", local=True)


def connect_once(hostname: str, port: int, wait_seconds: float, source: str) -> Endpoint:
    """Connect once to the first address of a host that answers, and close again.

    Args:
        source: what messages call the host that connects.

    Raises:
        Problem: as `check_connection`.
    """
    connection, endpoint = _connect_network(hostname, port, wait_seconds, f", from {source}")
    connection.close()
    return endpoint


def _connect_network(hostname: str, port: int, wait_seconds: float, source: str = "") -> tuple[socket.socket, Endpoint]:
    """A connection to the first address that answers: `localhost` often has two."""
    name = printable(hostname)
    try:
        connection = socket.create_connection((hostname, port), timeout=wait_seconds)
    except (socket.gaierror, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a valid name"
        raise Problem(
            f"{name}{source}: no address found: {why}",
            "check the host's name, and that name servers can be reached",
            NOTHING_RAN,
        ) from error
    except OSError as error:
        raise _unreachable(f"{_with_port(name, port)}{source}", error) from error
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


def tls_context(tls: Tls) -> ssl.SSLContext:
    """The settings with which the engine will speak TLS.

    Raises:
        Problem: a file is missing or holds something else.
    """
    for name, file in {"--cacert": tls.ca_file, "--cert": tls.certificate_file, "--key": tls.key_file}.items():
        if file is not None and not os.access(file, os.R_OK):
            raise Problem(f"{printable(file)}: cannot be read", f"name a PEM file with {name}", WRONG_USE)
    try:
        context = ssl.create_default_context(cafile=tls.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise Problem(f"{tls.ca_file}: holds no certificate", "name a PEM file with --cacert") from error
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if tls.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls.certificate_file is not None:
        try:
            context.load_cert_chain(tls.certificate_file, tls.key_file, password=_no_password)
        except (OSError, ssl.SSLError) as error:
            raise Problem(
                f"{tls.certificate_file}: certificate and key do not fit together: {_reason(error)}",
                "name PEM files with --cert and --key; the key must not be encrypted",
            ) from error
    return context


def _no_password() -> str:
    return ""


def _handshake(connection: socket.socket, context: ssl.SSLContext, server_name: str) -> None:
    try:
        context.wrap_socket(connection, server_hostname=server_name).close()
    except ssl.SSLCertVerificationError as error:
        remedy = "trust its authority with --cacert FILE, or skip the check with --insecure"
        if "hostname" in error.verify_message.lower() or "ip address" in error.verify_message.lower():
            remedy = "use the name that the certificate has, or skip the check with --insecure"
        raise Problem(
            f"TLS: the certificate of {printable(server_name)} is not trusted: {error.verify_message}",
            remedy,
            NOTHING_RAN,
        ) from error
    except ssl.SSLError as error:
        is_plain_http = error.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST")
        remedy = "the server does not speak TLS there: try http://" if is_plain_http else "check the server's TLS"
        raise Problem(f"TLS: the handshake failed: {_reason(error)}", remedy, NOTHING_RAN) from error
    except OSError as error:
        why = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error)).lower()
        raise Problem(
            f"TLS: the handshake failed: {why}", "check that the server speaks TLS on this port", NOTHING_RAN
        ) from error


def _reason(error: OSError) -> str:
    reason = getattr(error, "reason", None)
    return str(reason).lower().replace("_", " ") if reason else (error.strerror or str(error)).lower()
