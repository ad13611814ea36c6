"""A server of HTTP/3 by aioquic, as `localhost`: `hello`, or what was posted in bytes. Prints its port.

Started by the lab, it takes address and certificate from the environment. Some paths are answered in ways of their own.
"""

import asyncio
import os
import sys

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, H3Event, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated, QuicEvent

LARGE = b"x" * 3_000_000
ENDLESS_PIECE = b"x" * 4_000_000


class Answers(QuicConnectionProtocol):
    """One connection."""

    http: H3Connection | None = None

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
            self.posted: dict[int, int] = {}
            self.asked: dict[int, dict[bytes, bytes]] = {}
        if self.http is not None:
            for heard in self.http.handle_event(event):
                self._hear(self.http, heard)

    def _hear(self, http: H3Connection, heard: H3Event) -> None:
        if not isinstance(heard, HeadersReceived | DataReceived):
            return
        stream = heard.stream_id
        if isinstance(heard, HeadersReceived):
            self.asked[stream] = dict(heard.headers)
        if isinstance(heard, DataReceived):
            self.posted[stream] = self.posted.get(stream, 0) + len(heard.data)
        if not heard.stream_ended:
            return
        posted = self.posted.pop(stream, None)
        body = b"hello" if posted is None else b"got %d bytes" % posted
        fields = {b":status": b"200", b"content-type": b"text/plain", b"token": b"hers"}
        asked = self.asked.pop(stream)
        match asked[b":path"].decode():
            case "/large":
                body = LARGE
            case "/silent":
                return
            case "/reset":
                self._quic.reset_stream(stream, 0x102)
                self.transmit()
                return
            case "/close":
                self.close(0x102, "out of order")
                return
            case "/endless":
                http.send_headers(stream, list(fields.items()))
                for _ in range(4):
                    http.send_data(stream, ENDLESS_PIECE, end_stream=False)
                self.transmit()
                return
            case "/interim":
                http.send_headers(stream, [(b":status", b"103"), (b"link", b"</a>")])
            case "/odd":
                fields[b":status"] = b"2x0"
            case "/mine" if asked.get(b"authorization") != b"hers":
                fields[b":status"] = b"401"
        fields[b"content-length"] = b"%d" % len(body)
        http.send_headers(stream, list(fields.items()))
        http.send_data(stream, body, end_stream=True)
        self.transmit()


async def main(certificate: str, key: str) -> None:
    configuration = QuicConfiguration(is_client=False, alpn_protocols=["h3"])
    configuration.load_cert_chain(certificate, key)
    address, port = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "0"))
    server = await serve(address, port, configuration=configuration, create_protocol=Answers)
    print(server._transport.get_extra_info("sockname")[1], flush=True)  # type: ignore[union-attr]
    await asyncio.Future()


asyncio.run(main(*(sys.argv[1:] or (os.environ["TLS_CERTIFICATE"], os.environ["TLS_KEY"]))))
