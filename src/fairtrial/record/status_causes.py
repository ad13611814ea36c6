"""Remedies for unexpected statuses, by what an answer itself says of the reason: RFC 9110, sections 10, 11 and 15."""

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

from fairtrial.base.formatting import figure
from fairtrial.base.printable import printable
from fairtrial.record.engine_summary import EngineSummary, UnexpectedStatus

STATUS_REMEDIES = {
    0: "OK: the call went well, and is not to: look at what it asks for, and at `expect.grpc.status`",
    1: "CANCELLED: the server, or a proxy, gave the call up: see its log",
    2: "UNKNOWN: a handler raised an error that has no status: see the server's log",
    3: "INVALID_ARGUMENT: the server refuses what the message says: look at its fields",
    4: "DEADLINE_EXCEEDED: the answer was not there by `timeout`: a lower load, or a later deadline if this is the "
    "workload",
    5: "NOT_FOUND: nothing is there: check ids",
    6: "ALREADY_EXISTS: what the call creates is there: make its ids differ, or reset the state before the load",
    7: "PERMISSION_DENIED: the server knows the caller and forbids the call: look for credentials without the right",
    8: "RESOURCE_EXHAUSTED: a limit of the server refuses the call: its rate, its memory, or the length of a message",
    9: "FAILED_PRECONDITION: the state does not allow the call: look at what must be done or loaded before it",
    10: "ABORTED: calls on the same data got in each other's way: spread them over more of it, or retry in the server",
    11: "OUT_OF_RANGE: the message asks beyond the end of something: look at offsets and page numbers",
    12: "UNIMPLEMENTED: the server has no such method: check package, service and method, and what it registers",
    13: "INTERNAL: the server breaks something that it relies on: see its log",
    14: "UNAVAILABLE: the server cannot take the call now: see its log; often a pool or a limit is too small",
    15: "DATA_LOSS: the server found data lost or corrupt: see its log",
    16: "UNAUTHENTICATED: the server wants credentials: send the header authorization",
    304: "nothing changed since what If-None-Match or If-Modified-Since names: the answer has no body; leave these "
    "headers out, or expect 304",
    400: "the server cannot read the request: look at its body, its content type and its Host",
    401: "the server wants credentials: send the header Authorization",
    403: "the server knows the request and forbids it: look for credentials without the right, a missing CSRF token, "
    "and a client, an Origin or a Host that is not allowed",
    404: "nothing is there: check path, Host and ids",
    405: "the path takes other methods",
    406: "no form of the answer fits the request: look at its Accept, Accept-Encoding and Accept-Language",
    408: "the server waited for a request on an open connection, and gave it up: raise its time-out for clients",
    409: "the state does not allow the request: make ids differ, or reset the state before the load",
    410: "what was there is gone for good: ask for something else",
    411: "the server wants a Content-Length: send a body, or a header Content-Length: 0",
    412: "a condition of the request does not hold: look at its If-Match and If-Unmodified-Since",
    413: "the body is longer than the server takes: send a shorter one, or raise its limit (client_max_body_size of "
    "nginx, the framework's own)",
    414: "the address is longer than the server takes: send a shorter query, or raise its limit",
    415: "the server does not take the body's type: name it in the header Content-Type",
    416: "nothing is in the range that is asked for: look at the header Range",
    421: "the server does not answer for this Host: look at the Host, and at the certificate's names",
    422: "the server reads the body, and refuses what it says: compare it with the schema",
    426: "the server wants another protocol: see --http2 and --http3 of `fairtrial load`",
    428: "the server wants a condition: send the header If-Match",
    429: "a limiter refuses clients that ask too often: a lower rate_per_second, or a higher limit for this client",
    431: "the headers are longer than the server takes: send fewer, or raise its limit",
    502: "a proxy got no right answer from the server behind it: see both logs",
    503: "the server says that it is overloaded, or not ready: see its log; often a pool or a limit is too small",
    504: "a proxy got no answer in time from the server behind it: see both logs, and its time-out",
}
CLASS_REMEDIES = {
    "status_grpc": "calls by gRPC ended with an unexpected status: see the server's log",
    "status_5xx": "the server fails under load: see its log; often a pool or a thread limit is too small",
    "status_4xx": "the server refuses the request: check path, method, headers and body",
    "status_3xx": "a redirect: answer in place, request its target, or have it followed (to the same server) by "
    "`follow_redirects` in a workload file",
    "status_2xx": "the status is a success, but not the expected one",
    "status_1xx": "the server sends interim answers that were not requested",
}
"""By the kind of the error, for statuses that have no remedy of their own."""

WITH_LOCATION = frozenset({301, 302, 303, 307, 308})
SCHEMES = {
    "bearer": "Bearer, with a token",
    "basic": "Basic, with USER:PASSWORD in base64",
    "digest": "Digest, which answers a new challenge each time, and no fixed header can: let the server take another",
}
"""By the scheme of WWW-Authenticate (RFC 9110, section 11.6.1): what Authorization is to hold."""

MOST_NAMED = 3
"""So many statuses of one kind are explained, the most frequent first."""


def statuses_remedy(kind: str, summary: EngineSummary, host: str | None = None) -> str:
    """The remedy for unexpected statuses of this kind of error, such as `status_4xx`: for each status its own.

    Args:
        host: the Host of the requests, by which a redirect to the same one is known; None: it is not known.
    """
    of_kind = {status: each for status, each in _statuses(summary).items() if _kind(status) == kind}
    if not of_kind:
        return CLASS_REMEDIES[kind]
    in_examples = {example.status for example in summary.examples}
    parts = []
    for status, each in sorted(of_kind.items(), key=lambda item: -item[1].count)[:MOST_NAMED]:
        times = f" ({each.count:,})" if len(of_kind) > 1 and summary.statuses else ""
        words = status_remedy(status, each.headers, host)
        if status in WITH_LOCATION and summary.statuses and "location" not in each.headers:
            words += "; it has no Location, so that nobody can follow it"
        if status == 429:
            words += _let_through(summary, each)
        if status >= 500 and status not in in_examples and (line := _first_line(each.excerpt)):
            words += f"; it says “{line}”"
        parts.append(f"{status}{times}: {words}")
    return "; ".join(parts)


def status_remedy(status: int, headers: Mapping[str, str], host: str | None = None) -> str:
    """The remedy for one status, with what the answer's headers say.

    Args:
        headers: of the answer, by their names in lower case.
        host: as for `statuses_remedy`.
    """
    remedy = STATUS_REMEDIES.get(status) or CLASS_REMEDIES[_kind(status)]
    words = (in_words(headers[name], host) for name, in_words in HEADER_WORDS.items() if name in headers)
    return "; ".join([remedy, *filter(None, words)])


def _kind(status: int) -> str:
    if status < 100:  # gRPC's
        return "status_grpc"
    return f"status_{status // 100 if 100 <= status < 500 else 5}xx"


def _statuses(summary: EngineSummary) -> dict[int, UnexpectedStatus]:
    """By status; of an old record, which does not count them, those of its examples."""
    if summary.statuses:
        return {int(status): each for status, each in summary.statuses.items()}
    of_status = [each for each in summary.examples if each.status and each.kind == _kind(each.status)]
    return {each.status: UnexpectedStatus(count=1, excerpt=each.excerpt) for each in of_status if each.status}


def _let_through(summary: EngineSummary, refused: UnexpectedStatus) -> str:
    """The rate that a limiter implies: what it let through, over the window or the wait that it asks for."""
    if not summary.verified:
        return "; nothing got through in the window"
    wait = refused.headers.get("retry-after", "")
    seconds = max(summary.window_seconds, float(wait) if wait.isdecimal() else 0.0)
    over = f" over {seconds:g} s" if seconds > summary.window_seconds else ""
    rate = figure(summary.verified / seconds)
    return f"; {summary.verified:,} answers got through, which{over} is {rate} a second"


def _first_line(excerpt: str) -> str:
    """The first line of a body, printable; empty for a page of HTML, whose first line says nothing."""
    text = excerpt.strip()
    return "" if text.startswith("<") else printable(text.partition("\n")[0], 100)


def _challenge(value: str, _host: str | None) -> str:
    schemes = [words for scheme, words in SCHEMES.items() if re.search(rf"(?:^|,)\s*{scheme}\b", value, re.IGNORECASE)]
    return f"it asks for {' or '.join(schemes) or printable(value, 60)}"


def _target(value: str, host: str | None) -> str:
    return f"it points to {printable(value, 120)}{''.join(_whose(value, host))}"


def _whose(value: str, host: str | None) -> Iterator[str]:
    try:
        target = urlsplit(value)
        port = None if target.port == {"http": 80, "https": 443}.get(target.scheme) else target.port
    except ValueError:
        return
    if not target.netloc:
        yield ", on the same host"
    elif host is not None:
        name = f"[{target.hostname}]" if ":" in (target.hostname or "") else target.hostname or ""
        is_same = host.lower() == (name if port is None else f"{name}:{port}")
        yield f", on the same host by {target.scheme or 'the same scheme'}" if is_same else ", on another host"


def _wait(value: str, _host: str | None) -> str:
    seconds = f"{value} s" if value.isdecimal() else f"until {printable(value, 60)}"
    return f"it says to wait {seconds} (Retry-After)"


HEADER_WORDS: dict[str, Callable[[str, str | None], str]] = {
    "www-authenticate": _challenge,
    "allow": lambda value, _host: f"it allows {printable(value, 100)}" if value else "it allows none (Allow is empty)",
    "accept": lambda value, _host: f"it takes {printable(value, 100)}",
    "location": _target,
    "retry-after": _wait,
}
"""By header: what it says, in words, from its value and the Host of the requests."""
