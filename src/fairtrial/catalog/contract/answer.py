"""The lab's own requests to a stack: few of them, and their answers limited in size and time."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.tls_trust import trusting
from fairtrial.catalog.contract.over_http3 import OverHttp3
from fairtrial.load.engine_terms import Protocol

LARGEST_BODY_BYTES = 4 << 20
ANSWER_WITHIN_SECONDS = 10.0

OnHead = Callable[[httpx.Response], object]


@dataclass(frozen=True)
class Answer:
    """A complete answer; `seconds` is the time from the request's start to the answer's last byte."""

    status: int
    headers: httpx.Headers
    body: bytes
    seconds: float = 0.0

    def json(self) -> Any:
        """The parsed body.

        Raises:
            Problem: the body is not JSON.
        """
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise Problem(f"the body is not JSON ({error}): {self.excerpt()}") from error

    def excerpt(self) -> str:
        """The beginning of the body, printable, at most 120 characters."""
        return printable(self.body[:200].decode(errors="replace"), 120)

    def unasked_compression(self) -> str | None:
        """The fault of a body that is compressed, although nothing asked for it; None: it is not."""
        encoding = self.headers.get("content-encoding", "").strip().lower()
        if encoding in ("", "identity"):
            return None
        name = printable(encoding, 40)
        return f"the body is compressed ({name}) unasked: compress only for an Accept-Encoding that names it"


def client_of(
    url: str,
    timeout_seconds: float = ANSWER_WITHIN_SECONDS,
    transport: httpx.BaseTransport | None = None,
    *,
    ca_file: str | None = None,
    over: Protocol = "HTTP/1.1",
) -> httpx.Client:
    """A client for `ask` whose requests have the headers that the engine sends: Host, and what a test itself names.

    Left to itself, httpx asks for compression. A server that compresses on request would then be judged by answers
    that the load never gets. Certificates are held against the authorities of `ca_file`, or the roots that this machine
    trusts, as the engine does. With a `transport`, what that one says holds instead.

    Args:
        over: what the load comes over. HTTP/3 has a port of its own, of UDP; who speaks HTTP/2 speaks HTTP/1.1 as well.
    """
    if over == "HTTP/3" and transport is None:
        transport = OverHttp3(ca_file)
    # Without TLS nothing is held against them, and each trial has several clients.
    verify = trusting(ca_file) if url.startswith("https:") and transport is None else False
    client = httpx.Client(base_url=url, trust_env=False, timeout=timeout_seconds, verify=verify, transport=transport)
    for name in list(client.headers):
        del client.headers[name]
    return client


def ask(
    client: httpx.Client,
    method: str,
    path: str,
    *,
    on_head: OnHead = lambda _response: None,
    **options: Any,
) -> Answer:
    """Send one request and read its answer.

    Args:
        on_head: is called when status and headers have come, before the body.
        options: passed on to `httpx.Client.stream`, such as `headers`, `content` or `json`.

    Raises:
        httpx.ConnectError: nothing listens on the client's base URL.
        Problem: the answer is not HTTP, larger than 4 MiB, or not complete within 10 s.
    """
    try:
        return _answer(client, method, path, on_head, options)
    except httpx.ConnectError:
        raise
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Problem(printable(f"{type(error).__name__}: {error}")) from error


def _answer(client: httpx.Client, method: str, path: str, on_head: OnHead, options: Mapping[str, Any]) -> Answer:
    """A GET is sent again where a connection ends before any of its answer comes: it may be one of an earlier request,
    which the server has just closed (RFC 9112, section 9.3.1)."""
    heads: list[httpx.Response] = []

    def note(head: httpx.Response) -> None:
        heads.append(head)
        on_head(head)

    try:
        return _answer_once(client, method, path, note, options)
    except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
        if heads or method != "GET":
            raise
    return _answer_once(client, method, path, on_head, options)


def _answer_once(client: httpx.Client, method: str, path: str, on_head: OnHead, options: Mapping[str, Any]) -> Answer:
    start = time.monotonic()
    body = bytearray()
    with client.stream(method, path, **options) as response:
        on_head(response)
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > LARGEST_BODY_BYTES:
                raise Problem(f"the answer is larger than {LARGEST_BODY_BYTES} bytes")
            _assert_in_time(start)
        _assert_in_time(start)
        seconds = time.monotonic() - start
        return Answer(response.status_code, response.headers, bytes(body), seconds)


def _assert_in_time(start: float) -> None:
    if time.monotonic() - start > ANSWER_WITHIN_SECONDS:
        raise Problem(f"the answer was not complete within {ANSWER_WITHIN_SECONDS:g} s")
