"""The lab's own requests over HTTP/3, one connection for each: a transport of httpx.

QUIC and HTTP/3 are aioquic's, an optional part (`fairtrial[http3]`), imported when something is asked.
"""

import time
from collections.abc import Mapping

import httpx

from fairtrial.base.happy_eyeballs import addresses_of
from fairtrial.base.problem import Problem
from fairtrial.base.quic import first_answering

INSTALL = "pip install 'fairtrial[http3]'; in a checkout: make set-up"
ANSWER_WITHIN_SECONDS = 10.0
"""Where the client says nothing."""


class OverHttp3(httpx.BaseTransport):
    """Asks over HTTP/3. An answer is read whole, as far as size and the client's read timeout allow."""

    def __init__(
        self, ca_file: str | None = None, *, insecure: bool = False, identity: tuple[str, str | None] | None = None
    ) -> None:
        """
        Args:
            ca_file: PEM of the authorities that are trusted; None: those of this machine.
            insecure: any certificate will do.
            identity: files of the client's own certificate and of its key.
        """
        self._ca_file, self._insecure, self._identity = ca_file, insecure, identity

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and read its whole answer.

        Raises:
            httpx.ConnectError: nobody speaks QUIC there, or the handshake failed.
            httpx.TransportError: the answer is not complete in time, too large, or breaks QUIC or HTTP/3.
            Problem: aioquic is not installed.
        """
        try:
            from fairtrial.catalog.contract.http3_exchange import Exchange, quic_client  # noqa: PLC0415 an optional part
        except ImportError as error:
            raise Problem("requests over HTTP/3 need aioquic, which is not installed", INSTALL) from error
        timeouts: Mapping[str, float | None] = request.extensions.get("timeout", {})
        deadline = time.monotonic() + (timeouts.get("read") or ANSWER_WITHIN_SECONDS)
        quic = quic_client(request.url.host, self._ca_file, self._identity, insecure=self._insecure)
        request.read()
        try:
            addresses = addresses_of(request.url.host, request.url.port or 443)
            path = first_answering(addresses, max(0.0, deadline - time.monotonic()))
        except OSError as error:
            raise httpx.ConnectError(f"QUIC: {error.strerror or 'no answer'}", request=request) from error
        with path:
            return Exchange(quic, path, request, deadline).answer()
