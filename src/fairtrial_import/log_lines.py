"""One line of an access log: common and combined format (Apache, nginx and others), and JSON.

apachelogs was looked at: its last release is of 2024, it needs two more packages, and it refuses a line with anything
behind the combined format, such as nginx's `$request_time`.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from fairtrial_import.json_value import as_whole, member_at, text

TIME_AND_REQUEST = re.compile(
    r'\[\d{1,2}/[A-Za-z]{3}/\d{4}:[^\]"]{8,20}\] "(?P<request>(?:[^"\\]|\\.)*)" (?P<status>[1-5]\d{2})(?= |$)'
)
"""The middle of a line in both formats, whatever stands before (a virtual host) or behind (a time)."""
REQUEST = re.compile(r"(?P<method>[A-Za-z]{3,20}) (?P<target>\S+)(?: HTTP/\d(?:\.\d)?)?")
ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})|\\(.)")

METHODS = (("method",), ("request_method",), ("verb",), ("http_method",), ("RequestMethod",), ("request", "method"))
TARGETS = (("uri",), ("request_uri",), ("path",), ("url",), ("RequestPath",), ("request", "uri"), ("request", "url"))
STATUSES = (("status",), ("status_code",), ("response_code",), ("DownstreamStatus",), ("response", "status"))
QUERIES = (("query",), ("query_string",), ("args",))
"""Keys of JSON logs: nginx (as its users write log_format), Caddy, Traefik, Envoy, Bunyan and pino."""


@dataclass(frozen=True)
class Entry:
    """A request of a log. The target is as it was sent: path and query, percent-encoded."""

    method: str
    target: str
    status: int


def read_line(line: str) -> Entry | None:
    """The request of a line; None if it holds none, such as what a TLS client sent to a port without TLS."""
    if line.lstrip().startswith("{"):
        return _json_entry(line)
    match = TIME_AND_REQUEST.search(line)
    return None if match is None else _entry(_unescaped(match["request"]), int(match["status"]))


def _unescaped(request: str) -> str:
    r"""The bytes that `\x22` and `\"` stand for."""
    if "\\" not in request:
        return request
    plain = ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], request)
    try:
        return plain.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return plain


def _entry(request: str, status: int) -> Entry | None:
    match = REQUEST.fullmatch(request)
    if match is None:
        return None
    target = re.sub(r"^https?://[^/]*", "", match["target"], flags=re.IGNORECASE) or "/"  # as proxies are asked
    return Entry(match["method"].upper(), target, status) if target.startswith("/") else None


def _json_entry(line: str) -> Entry | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    status = next((number for path in STATUSES if (number := as_whole(member_at(document, *path))) is not None), None)
    if status is None or not 100 <= status <= 599:
        return None
    request = text(member_at(document, "request"))
    if request:
        return _entry(request, status)
    method, target = _first(document, METHODS), _first(document, TARGETS)
    query = _first(document, QUERIES).removeprefix("?")
    if query and "?" not in target:
        target = f"{target}?{query}"
    return _entry(f"{method} {target}", status)


def _first(document: Any, paths: tuple[tuple[str, ...], ...]) -> str:
    return next((value for path in paths if (value := text(member_at(document, *path)))), "")
