"""One request and its answer over HTTP/3: aioquic's connection, and a socket of UDP."""

import logging
import socket
import ssl
import time
from collections.abc import Iterator

import httpx
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted, QuicEvent, StreamReset

MOST_RECEIVED_BYTES = 8 << 20
"""For one answer: twice `answer.LARGEST_BODY_BYTES`. A server may send without an end."""
LARGEST_DATAGRAM_BYTES = 65_536
OF_CONNECTIONS = (b"connection", b"host", b"keep-alive", b"transfer-encoding")
"""Headers of HTTP/1.1 alone (RFC 9114, section 4.2); `:authority` stands in place of Host."""
PEER = ("", 0)
"""By which aioquic tells paths apart. The socket is connected, so there is one."""
SHORTEST_WAIT_SECONDS = 0.001

logging.getLogger("quic").addHandler(logging.NullHandler())  # what fails is raised


def quic_client(
    host: str, ca_file: str | None, identity: tuple[str, str | None] | None, *, insecure: bool
) -> QuicConnection:
    """A connection that is not begun yet. Args: those of `OverHttp3`, and the name that the certificate has to have."""
    configuration = QuicConfiguration(is_client=True, alpn_protocols=["h3"], server_name=host)
    if insecure:
        configuration.verify_mode = ssl.CERT_NONE
    if ca_file is not None:
        configuration.load_verify_locations(cafile=ca_file)
    else:
        paths = ssl.get_default_verify_paths()
        configuration.load_verify_locations(cafile=paths.cafile, capath=paths.capath)
    if identity is not None:
        configuration.load_cert_chain(*identity)
    return QuicConnection(configuration=configuration)


class Exchange:
    """One request and its answer over a connection of their own."""

    def __init__(self, quic: QuicConnection, path: socket.socket, request: httpx.Request, deadline: float) -> None:
        """
        Args:
            path: a connected socket of UDP.
            request: it has been read.
            deadline: by the monotonic clock.
        """
        self._quic, self._path, self._request, self._deadline = quic, path, request, deadline
        self._http = H3Connection(quic)
        self._stream: int | None = None
        self._status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._body = bytearray()
        self._has_ended = False

    def answer(self) -> httpx.Response:
        """Send the request, and read all of the answer.

        Raises:
            httpx.TransportError: as `OverHttp3` says.
        """
        received = 0
        self._quic.connect(PEER, time.monotonic())
        try:
            while not self._has_ended:
                self._send()
                datagram = self._receive()
                received += len(datagram)
                if received > MOST_RECEIVED_BYTES:
                    raise httpx.RemoteProtocolError(f"more than {MOST_RECEIVED_BYTES} bytes", request=self._request)
                if datagram:
                    self._quic.receive_datagram(datagram, PEER, time.monotonic())
                while (event := self._quic.next_event()) is not None:
                    self._hear(event)
        finally:
            self._quic.close()
            self._send()
        return httpx.Response(self._status, headers=self._headers, stream=httpx.ByteStream(bytes(self._body)))

    def _send(self) -> None:
        for datagram, _ in self._quic.datagrams_to_send(time.monotonic()):
            try:
                self._path.send(datagram)
            except OSError:
                return  # what does not come then tells it

    def _receive(self) -> bytes:
        """The next datagram; empty: a timer of QUIC's went off before one came."""
        now = time.monotonic()
        if now >= self._deadline:
            kind = httpx.ConnectTimeout if self._stream is None else httpx.ReadTimeout
            raise kind("no complete answer over HTTP/3 in time", request=self._request)
        timer = self._quic.get_timer()
        until = self._deadline if timer is None else min(timer, self._deadline)
        self._path.settimeout(max(SHORTEST_WAIT_SECONDS, until - now))
        try:
            return self._path.recv(LARGEST_DATAGRAM_BYTES)
        except TimeoutError:
            if timer is not None and time.monotonic() >= timer:
                self._quic.handle_timer(time.monotonic())
            return b""
        except OSError as error:
            raise httpx.ConnectError(f"QUIC: {error.strerror}", request=self._request) from error

    def _hear(self, event: QuicEvent) -> None:
        if isinstance(event, HandshakeCompleted):
            self._ask()
        elif isinstance(event, ConnectionTerminated):
            kind = httpx.ConnectError if self._stream is None else httpx.RemoteProtocolError
            why = f"QUIC ended with error {event.error_code:#x}: {event.reason_phrase}"
            raise kind(why, request=self._request)
        elif isinstance(event, StreamReset) and event.stream_id == self._stream:
            why = f"the stream was reset with error {event.error_code:#x}"
            raise httpx.RemoteProtocolError(why, request=self._request)
        else:
            for what in self._http.handle_event(event):
                self._take(what)

    def _ask(self) -> None:
        self._stream = self._quic.get_next_available_stream_id()
        body = self._request.content
        self._http.send_headers(self._stream, list(self._fields()), end_stream=not body)
        if body:
            self._http.send_data(self._stream, body, end_stream=True)

    def _fields(self) -> Iterator[tuple[bytes, bytes]]:
        url = self._request.url
        yield b":method", self._request.method.encode()
        yield b":scheme", b"https"
        yield b":authority", self._request.headers.get("host", url.netloc.decode()).encode()
        yield b":path", url.raw_path
        for name, value in self._request.headers.raw:
            if name.lower() not in OF_CONNECTIONS:
                yield name.lower(), value

    def _take(self, what: H3Event) -> None:
        if not isinstance(what, HeadersReceived | DataReceived) or what.stream_id != self._stream:
            return
        if isinstance(what, DataReceived):
            self._body += what.data
        else:
            status = int(dict(what.headers).get(b":status", b"0"))  # aioquic refuses what is no number
            # Interim answers (1xx) come before the final one, trailers behind it.
            if status >= httpx.codes.OK and not self._status:
                self._status = status
                self._headers = [(name, value) for name, value in what.headers if name[:1] != b":"]
        self._has_ended = what.stream_ended
        if self._has_ended and not self._status:
            raise httpx.RemoteProtocolError("the stream ended without a status", request=self._request)
