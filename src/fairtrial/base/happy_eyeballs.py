"""Connects to a name with several addresses as a client library does: Happy Eyeballs, version 2 (RFC 8305)."""

import errno
import os
import selectors
import socket
from collections import deque
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

ATTEMPT_DELAY_SECONDS = 0.25
"""Until the next address is tried beside those that have not answered yet (RFC 8305, section 5)."""


class Address(NamedTuple):
    """An address of a host, with a port."""

    family: socket.AddressFamily
    sockaddr: Any

    def __str__(self) -> str:
        return in_words(self.sockaddr)


def in_words(sockaddr: Any) -> str:
    """A socket address as the engine reads it: `127.0.0.1:80`, `[::1]:80`, `[fe80::1%2]:80`."""
    ip, port, *_ = sockaddr
    if ":" not in ip:
        return f"{ip}:{port}"
    scope = sockaddr[3]
    return f"[{ip}%{scope}]:{port}" if scope else f"[{ip}]:{port}"


def addresses_of(hostname: str, port: int | None) -> list[Address]:
    """All addresses of a host, in the order in which they are tried: as the system sorts them (RFC 6724), with the
    families taking turns.

    Raises:
        OSError: `socket.gaierror`, the name has none.
        UnicodeError: it cannot be a name.
    """
    infos = socket.getaddrinfo(hostname, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(Address(family, sockaddr) for family, _, _, _, sockaddr in infos))
    first = [each for each in addresses if each.family == addresses[0].family]
    others = [each for each in addresses if each.family != addresses[0].family]
    return [each for each in chain.from_iterable(zip_longest(first, others)) if each is not None]


def first_connected(addresses: Sequence[Address], wait_seconds: float) -> socket.socket:
    """A connection to the address that takes one first, with `wait_seconds` as its timeout.

    The next address is tried when one has failed, and beside those that have not answered within the delay.

    Raises:
        OSError: none takes a connection: why the last one did not. TimeoutError: none has answered, `wait_seconds`
            after the last one was tried.
    """
    queue, failure = deque(addresses), OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
    with selectors.DefaultSelector() as attempts:
        try:
            while queue or attempts.get_map():
                if queue:
                    try:
                        attempt = _attempt_at(queue.popleft())
                    except OSError as error:
                        failure = error
                        continue
                    attempts.register(attempt, selectors.EVENT_WRITE, attempt)
                ready = attempts.select(ATTEMPT_DELAY_SECONDS if queue else wait_seconds)
                if not ready and not queue:
                    raise TimeoutError
                for attempt in [key.data for key, _ in ready]:
                    attempts.unregister(attempt)
                    number = attempt.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if not number:
                        attempt.settimeout(wait_seconds)
                        return attempt  # type: ignore[no-any-return]
                    attempt.close()
                    failure = OSError(number, os.strerror(number))
        finally:
            for key in attempts.get_map().values():
                key.data.close()
    raise failure


def _attempt_at(address: Address) -> socket.socket:
    """A socket whose connect is under way."""
    attempt = socket.socket(address.family, socket.SOCK_STREAM)
    attempt.setblocking(False)
    try:
        number = attempt.connect_ex(address.sockaddr)
        if number not in (0, errno.EINPROGRESS):
            raise OSError(number, os.strerror(number))
    except BaseException:
        attempt.close()
        raise
    return attempt
