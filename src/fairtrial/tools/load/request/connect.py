"""One connection before the load, so that what cannot work is one clear message instead of a million errors.

It also chooses, among the addresses of a name, the one that answers first, or finds all of them.
"""

import os
import socket
import ssl
from pathlib import Path

from fairtrial.base.endpoint import AddressChoice, Endpoint, connect, connect_once, connect_unix
from fairtrial.base.exit_status import NOTHING_RAN, WRONG_USE
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.quic import first_answering
from fairtrial.base.tls_trust import trusting
from fairtrial.engine.plan import Tls
from fairtrial.record.openssl_causes import handshake_cause, handshake_words, reason_in_words
from fairtrial.record.protocol_causes import TLS_REMEDIES
from fairtrial.tools.load.request.url import Url

LONGEST_WAIT_SECONDS = 5.0
SKIP_CHECK = "--insecure skips the check"
"""For whom a certificate is not the point."""


def check_connection(
    url: Url,
    unix_socket: Path | None,
    tls: Tls | None,
    timeout_seconds: float,
    addresses: AddressChoice = "first",
    *,
    http2: bool = False,
    http3: bool = False,
) -> Endpoint:
    """Connect once, with TLS where the URL asks for it, and close again.

    Args:
        addresses: of the host that the endpoint has; of `all`, each has to take a connection.
        http2: the load will come over HTTP/2, which over TLS the server has to agree to.
        http3: it will come over HTTP/3: whether QUIC is spoken there is all that is tried.

    Raises:
        Problem: the name has no address, nothing answers there, or TLS fails; with exit status 4, as nothing ran.
    """
    wait = min(timeout_seconds, LONGEST_WAIT_SECONDS)
    context = tls_context(tls) if tls is not None else None
    if http3:
        return connect_once(url.hostname, url.port, wait, addresses=addresses, first=first_answering)
    if unix_socket is not None:
        connection, endpoint = connect_unix(unix_socket, wait)
    else:
        connection, endpoint = connect(url.hostname, url.port, wait, addresses=addresses)
    with connection:
        if context is not None and tls is not None:
            _handshake(connection, context, tls.server_name, http2=http2)
    return endpoint


def tls_context(tls: Tls) -> ssl.SSLContext:
    """The settings with which the engine will speak TLS.

    Raises:
        Problem: a file is missing or holds something else.
    """
    for name, file in {"--cacert": tls.ca_file, "--cert": tls.certificate_file, "--key": tls.key_file}.items():
        if file is not None and not os.access(file, os.R_OK):
            raise Problem(f"{printable(file)}: cannot be read", f"name a PEM file with {name}", WRONG_USE)
    try:
        context = trusting(tls.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise Problem(f"{tls.ca_file}: holds no certificate", "name a PEM file with --cacert") from error
    if tls.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls.certificate_file is not None:
        try:
            context.load_cert_chain(tls.certificate_file, tls.key_file, password=_no_password)
        except (OSError, ssl.SSLError) as error:
            raise Problem(
                f"{tls.certificate_file}: certificate and key do not fit together: {reason_in_words(error)}",
                "name PEM files with --cert and --key; the key must not be encrypted",
            ) from error
    return context


def _no_password() -> str:
    return ""


def _handshake(connection: socket.socket, context: ssl.SSLContext, server_name: str, *, http2: bool) -> None:
    """A handshake as the engine's: it asks for one protocol by ALPN."""
    context.set_alpn_protocols(["h2" if http2 else "http/1.1"])
    try:
        with context.wrap_socket(connection, server_hostname=server_name) as secure:
            agrees = not http2 or secure.selected_alpn_protocol() == "h2"
    except OSError as error:
        cause, words = handshake_cause(error, http2=http2), handshake_words(error)
        remedy = TLS_REMEDIES.get(cause or "", "check the server's TLS")
        if cause == "plaintext":
            remedy = "the server does not speak TLS there: try http://"
        if cause is not None and cause.startswith("certificate_"):
            words = words.replace("the certificate is", f"the certificate of {printable(server_name)} is", 1)
            remedy = f"{remedy}; {SKIP_CHECK}"
        raise Problem(f"TLS: {words}", remedy, NOTHING_RAN) from error
    if not agrees:
        raise Problem("TLS: the server did not agree to HTTP/2 by ALPN", TLS_REMEDIES["alpn_http2"], NOTHING_RAN)
