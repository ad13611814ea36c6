"""Finds out whether somebody speaks QUIC at an address, without a handshake."""

import errno
import os
import secrets
import socket
import time
from collections.abc import Sequence

from fairtrial.base.happy_eyeballs import Address

AGAIN_SECONDS = 0.25
"""A datagram may be lost, or come before the server listens."""

INITIAL_BYTES = 1200
"""Servers answer no shorter one (RFC 9000, section 14.1)."""

UNKNOWN_VERSION = bytes.fromhex("1a2a3a4a")
"""Is kept for this: whoever speaks QUIC answers with the versions that it knows (RFC 9000, sections 6 and 15)."""


def first_answering(addresses: Sequence[Address], wait_seconds: float) -> socket.socket:
    """A socket of UDP, connected to the first address where QUIC is spoken, with `wait_seconds` as its timeout.

    Raises:
        OSError: at none: why not at the last one. TimeoutError: nothing came from there within `wait_seconds`.
    """
    failure = OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    for address in addresses:
        attempt = socket.socket(address.family, socket.SOCK_DGRAM)
        try:
            attempt.connect(address.sockaddr)
            _await_answer(attempt, wait_seconds)
        except OSError as error:
            attempt.close()
            failure = error
            continue
        attempt.settimeout(wait_seconds)
        return attempt
    raise failure


def _await_answer(attempt: socket.socket, wait_seconds: float) -> None:
    own, other = secrets.token_bytes(8), secrets.token_bytes(8)
    question = b"\xc0" + UNKNOWN_VERSION + b"\x08" + other + b"\x08" + own
    end = time.monotonic() + wait_seconds
    while (left := end - time.monotonic()) > 0:
        attempt.send(question.ljust(INITIAL_BYTES, b"\0"))
        attempt.settimeout(min(AGAIN_SECONDS, left))
        try:
            answer = attempt.recv(INITIAL_BYTES)
        except TimeoutError:
            continue
        if answer[:1] >= b"\x80" and answer[1:14] == b"\0\0\0\0\x08" + own:
            return
    raise TimeoutError
