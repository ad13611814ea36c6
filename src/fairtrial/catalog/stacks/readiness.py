"""Asking a server whether it is ready."""

import socket
import ssl
import time
from collections.abc import Callable

import httpx

from fairtrial.base.endpoint import connect_once
from fairtrial.base.loopback import LOOPBACK, listens
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.quic import first_answering
from fairtrial.base.tls_trust import trusting
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.stacks.grpc_health import instead_of_serving
from fairtrial.experiment.origins import READY_WITHIN_SECONDS
from fairtrial.experiment.ready import Ready
from fairtrial.record.openssl_causes import handshake_cause, handshake_words
from fairtrial.record.protocol_causes import TLS_REMEDIES
from fairtrial.record.status_causes import status_remedy

ANSWER_WITHIN_SECONDS = 2.0
"""A server that is ready answers at once; one that is not is asked again."""

MOST_TIMES_AS_LONG = 4
"""A JVM that is ready after 8 s on a machine of its own takes four times as long where it has a quarter of one."""
AT_WORK = 0.05
"""Processors: who waits for a database or a request uses less, and who compiles, or shares two processors with forty
others that work, uses more."""
LOOK_EVERY_SECONDS = 2.0

NOTHING_LISTENS = "nothing listened on its port"

EMPTY_SETTINGS = bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + EMPTY_SETTINGS
"""What a client says first (RFC 9113, section 3.4)."""
TYPE_OF_FRAME = slice(3, 4)


class Patience:
    """How long a start may take: for as long as its description says; else 30 s, and up to 120 s while it is at work.

    Wall time alone would blame a program for what others take of the machine.
    """

    def __init__(self, said_seconds: float | None, cpu_seconds: Callable[[], float]) -> None:
        """
        Args:
            said_seconds: the limit of its description; None: it has none.
            cpu_seconds: the processor time that its processes have used so far.
        """
        self._cpu_seconds = cpu_seconds
        self._begin = self._last_look = time.monotonic()
        self._until = self._begin + (said_seconds or READY_WITHIN_SECONDS)
        self._most = self._until if said_seconds else self._begin + READY_WITHIN_SECONDS * MOST_TIMES_AS_LONG
        self._used = 0.0

    @property
    def seconds(self) -> float:
        """How long it has been waited for, or will be at least."""
        return self._until - self._begin

    def is_over(self) -> bool:
        """Whether it is too late."""
        now = time.monotonic()
        if now < self._until:
            return False
        if now >= self._most:
            return True
        used, since = self._cpu_seconds(), now - self._last_look
        if used - self._used < AT_WORK * since:
            return True
        self._used, self._last_look = used, now
        self._until = min(now + LOOK_EVERY_SECONDS, self._most)
        return False


def seen_instead(
    ready: Ready, client: httpx.Client, port: int, host: str = LOOPBACK, ca_file: str | None = None
) -> str | None:
    """Ask once. Returns what was seen instead of a server that is ready, or None if it is.

    Args:
        client: speaks to the server.
        port, host: where a connection is tried, if nothing else is asked for.
        ca_file: PEM of the authorities that are trusted there; None: the roots of this machine.
    """
    secure = client.base_url.scheme == "https"
    if ready.tcp:
        return None if listens(port, host) else NOTHING_LISTENS
    if ready.http2:
        return _instead_of_settings(secure, port, host, ca_file)
    if ready.http3:
        return _instead_of_quic(port, host)
    if ready.grpc_health is not None:
        return instead_of_serving(ready.grpc_health, secure, f"{host}:{port}", ca_file)
    assert ready.path is not None
    return _instead_of_answer(ready, client)


def _instead_of_answer(ready: Ready, client: httpx.Client) -> str | None:
    """What came in place of the answer that is to come; None: it came."""
    try:
        answer = ask(client, "GET", str(ready.path))
    except httpx.ConnectError as error:
        return NOTHING_LISTENS if client.base_url.scheme == "http" else f"no connection: {_why(error)}"
    except Problem as problem:
        return f"GET {ready.path}: {problem.reason}"
    if ready.status in (None, answer.status):
        return None
    return f"GET {ready.path} answered {answer.status}: {status_remedy(answer.status, answer.headers)}"


def _instead_of_settings(secure: bool, port: int, host: str, ca_file: str | None) -> str | None:
    """The answer in place of the SETTINGS with which a server of HTTP/2 begins; None: they came."""
    frame = b""
    try:
        with (
            socket.create_connection((host, port), ANSWER_WITHIN_SECONDS) as plain,
            _secure(plain, host, ca_file) if secure else plain as connection,
        ):
            connection.sendall(PREFACE)
            while len(frame) < len(EMPTY_SETTINGS):
                piece = connection.recv(len(EMPTY_SETTINGS) - len(frame))
                if not piece:
                    return "it closed the connection, and did not speak HTTP/2"
                frame += piece
    except ConnectionRefusedError:
        return NOTHING_LISTENS
    except OSError as error:
        return f"HTTP/2: {_why(error)}"
    if frame.startswith(b"HTTP/1."):
        return "its port speaks HTTP/1.1, and HTTP/2 is asked for"
    return None if frame[TYPE_OF_FRAME] == EMPTY_SETTINGS[TYPE_OF_FRAME] else "its port does not speak HTTP/2"


def _instead_of_quic(port: int, host: str) -> str | None:
    """Why nobody speaks QUIC there; None: somebody does."""
    try:
        connect_once(host, port, ANSWER_WITHIN_SECONDS, first=first_answering)
    except Problem as problem:
        return f"QUIC: {problem.reason}"
    return None


def _secure(connection: socket.socket, host: str, ca_file: str | None) -> ssl.SSLSocket:
    context = trusting(ca_file)
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(connection, server_hostname=host)


def _why(error: BaseException) -> str:
    """Why TLS failed, and what helps, where that is behind the error; else the error itself."""
    each: BaseException | None = error
    while each is not None and not isinstance(each, ssl.SSLError):
        each = each.__cause__ or each.__context__
    if each is None:
        return printable(str(error), 200)
    words = f"TLS: {printable(handshake_words(each), 200)}"
    remedy = TLS_REMEDIES.get(handshake_cause(each) or "")
    return words if remedy is None else f"{words}; {remedy}"
