"""URLs as sources write them."""

import re
from dataclasses import dataclass

from fairtrial.base.problem import Problem
from fairtrial_import.template import PLACEHOLDER, encoded

ORIGIN = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)")
HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")


@dataclass(frozen=True)
class RequestAddress:
    """Where a request goes. `origin` is None if the source leaves the server open."""

    origin: str | None
    path: str
    """with the query, percent-encoded but for placeholders"""
    credentials: str | None = None
    """`user:password`"""
    server: str = ""
    """the variable of the environment that stands for the server, and perhaps for the beginning of the path"""


def read_address(text: str, where: str, *, is_template: bool = False) -> RequestAddress:
    """The parts of a URL, of a host with a path, or of a path alone. Its fragment is dropped.

    Args:
        where: what an error names instead of the URL, which may hold a secret.
        is_template: whether `{{…}}` in it are placeholders.

    Raises:
        Problem: it is no address of an HTTP server.
    """
    text = text.strip()
    if not is_template:
        text = text.replace("{", "%7B").replace("}", "%7D")
    match = ORIGIN.match(text)
    if match is not None:
        if match["scheme"].lower() not in ("http", "https"):
            raise Problem(f"{where}: not an http or https address", "import requests of an HTTP server")
        scheme, authority, rest = match["scheme"].lower(), match["authority"], text[match.end() :]
    elif text.startswith("/"):
        return RequestAddress(None, _path(text))
    else:
        scheme, authority, rest = "http", *_bare(text)
    credentials, at, host = authority.rpartition("@")
    placeholder = PLACEHOLDER.fullmatch(authority) if match is None else None
    server = placeholder[0].strip("{}").removeprefix("env ") if placeholder else ""
    return RequestAddress(_origin(scheme, host, where), _path(rest), credentials if at else None, server)


def _bare(text: str) -> tuple[str, str]:
    """Authority and rest of `localhost:8080/items` or `{{env HOST}}/items`."""
    placeholder = PLACEHOLDER.match(text)
    end = placeholder.end() if placeholder else 0
    match = re.compile(r"[/?#]").search(text, end)
    place = match.start() if match else len(text)
    return text[:place], text[place:]


def _origin(scheme: str, host: str, where: str) -> str | None:
    if PLACEHOLDER.search(host):
        return None
    try:
        name = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        name = ""
    if not HOST.fullmatch(name):
        raise Problem(
            f"{where}: has no host that can be read", "write http://HOST[:PORT]/PATH, or a path that begins with /"
        )
    default = {"http": ":80", "https": ":443"}[scheme]
    return f"{scheme}://{name.lower().removesuffix(default)}"


def _path(text: str) -> str:
    text = text.partition("#")[0]
    return encoded(text if text.startswith("/") else f"/{text}")
