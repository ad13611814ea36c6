"""The headers of a found request that a workload file keeps."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fairtrial.base.http_syntax import TOKEN
from fairtrial_import.template import literal

OF_THE_CONNECTION = frozenset(
    "connection content-length expect host http2-settings keep-alive proxy-connection te trailer transfer-encoding "  # noqa: SIM905
    "upgrade".split()
)
"""Headers that the load generator sets itself, or that concern one connection."""
OF_THE_BROWSER = frozenset("dnt pragma cache-control priority referer upgrade-insecure-requests user-agent".split())  # noqa: SIM905
"""Headers that a browser or a client adds by itself; none of it asks for other work."""
CONDITIONAL = frozenset("if-match if-modified-since if-none-match if-range if-unmodified-since".split())  # noqa: SIM905
HOST_REMARK = "Left out: header host. A load sends the host of its URL."
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True)
class KeptHeaders:
    """Headers, and the names of those that were left out."""

    headers: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]


def keep_headers(
    pairs: Iterable[tuple[str, str]], *, are_templates: bool = False, are_described: bool = False
) -> KeptHeaders:
    """The headers that say what is asked, in their order, with names in lower case. Values of one name are joined.

    Args:
        are_templates: the values are templates already, and not text that stands for itself.
        are_described: a description of the server asks for them, also for those that clients add by themselves.
    """
    headers: dict[str, str] = {}
    left_out: dict[str, None] = {}
    for name, value in pairs:
        lower = name.strip().lower()
        if lower in OF_THE_CONNECTION or lower.startswith(":"):
            continue
        is_unwanted = _is_left_out(lower) and not are_described
        if is_unwanted or not TOKEN.fullmatch(lower) or CONTROL.search(value) or not value.strip():
            left_out[lower] = None
            continue
        text = value.strip() if are_templates else literal(value.strip())
        joint = "; " if lower == "cookie" else ", "
        headers[lower] = f"{headers[lower]}{joint}{text}" if lower in headers else text
    return KeptHeaders(tuple(headers.items()), tuple(left_out))


def _is_left_out(name: str) -> bool:
    return name in OF_THE_BROWSER or name in CONDITIONAL or name.startswith("sec-")


def left_out_in_words(names: Iterable[str]) -> list[str]:
    """Remarks on headers that were left out, with the reasons that matter; empty without any."""
    names = sorted(set(names))
    remarks = []
    if conditional := [name for name in names if name in CONDITIONAL]:
        remarks.append(f"Left out: {_headers(conditional)}. With it, the answer could be 304 without a body.")
    if others := [name for name in names if name not in CONDITIONAL]:
        remarks.append(f"Left out: {_headers(others)}. Add what your server looks at.")
    return remarks


def _headers(names: list[str]) -> str:
    return ("header " if len(names) == 1 else "headers ") + ", ".join(names)
