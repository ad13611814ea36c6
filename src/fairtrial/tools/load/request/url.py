"""The parts of a URL that the engine needs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urlsplit

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.tools.load.request.values import ConnectTo

REMEDY = "write http://HOST[:PORT]/PATH or https://…"
PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
PLACEHOLDER = re.compile(r"\{\{.*?\}\}")


@dataclass(frozen=True)
class Url:
    """Where to connect (`hostname`, `port`), what to request (`host` header and `path`), and whether to speak TLS."""

    text: str
    secure: bool
    hostname: str
    port: int
    host: str
    path: str


def parse_url(text: str, *, template: bool = False) -> Url:
    """The parts of a URL. With `template`, the path may hold `{{…}}`.

    Raises:
        Problem: the engine cannot request it.
    """
    parts = _split(text)
    if parts.scheme not in PORTS or not parts.hostname:
        remedy = REMEDY
        if text.endswith(".toml"):
            remedy = f"name the server, and the file with -f: fairtrial load http://HOST:PORT -f {printable(text)}"
        elif parts.hostname is None and re.match(r"[\w.\-]+(:\d+)?(/|$)", text):
            remedy = f"write http://{printable(text)}"
        raise Problem(f"{printable(text)}: not an http or https URL", remedy)
    if "@" in parts.netloc:
        raise Problem("a URL with credentials is not accepted", "give them with -H 'Authorization: …'")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    literal = PLACEHOLDER.sub("", path) if template else path
    if not literal.isascii() or not literal.isprintable() or " " in literal:
        raise Problem(
            f"{printable(text)}: the path holds characters that a request line cannot hold",
            "percent-encode them" + (", or give --template for {{…}}" if "{{" in path and not template else ""),
        )
    try:
        hostname = parts.hostname if parts.hostname.isascii() else parts.hostname.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise Problem(f"{printable(text)}: the host is not a valid name", REMEDY) from error
    port = parts.port or PORTS[parts.scheme]
    bracketed = f"[{hostname}]" if ":" in hostname else hostname
    host = bracketed if port == PORTS[parts.scheme] else f"{bracketed}:{port}"
    return Url(text, parts.scheme in ("https", "wss"), hostname, port, host, path)


def assert_scheme(url: Url, *, sends_messages: bool) -> None:
    """Raise a Problem for a URL of a WebSocket where requests are HTTP's."""
    if url.text.startswith("ws") and not sends_messages:
        raise Problem(
            f"{printable(url.text)}: no message is given",
            'give a file whose requests are messages with -f (websocket = "/path", docs/workload-file.md)',
        )


def redirected(url: Url, rules: Sequence[ConnectTo]) -> Url:
    """The URL with the host and the port to connect to, by the first rule that fits; what is requested stays."""
    for rule in rules:
        if rule.host in (None, url.hostname.lower()) and rule.port in (None, url.port):
            return replace(url, hostname=rule.other_host or url.hostname, port=rule.other_port or url.port)
    return url


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError as error:
        raise Problem(f"{printable(text)}: {printable(str(error))}", REMEDY) from error
    return parts
