"""What the `url` of a contender may say."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from fairtrial.base.printable import printable


def assert_address(url: str) -> None:
    """Refuse a URL that says more than where a server is. It may hold a password, and is in no message.

    Raises:
        ValueError: what it asks is the workload's to say, or a password in it would be recorded.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"url: not a URL: {printable(str(error))}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not re.fullmatch(r"[!-~]+", url):
        raise ValueError("url: write http://HOST:PORT or https://HOST")
    if "@" in parts.netloc:
        raise ValueError("url: it holds credentials, which would be recorded: leave them out")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError("url: it ends with the port: the paths are the workload's")


def is_here(url: str) -> bool:
    """Whether the host of a URL is this machine by its loopback; other addresses of its own count as elsewhere."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
