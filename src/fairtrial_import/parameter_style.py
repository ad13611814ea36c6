"""Values of an OpenAPI document as they stand in a path, a query, a header, a cookie or a form.

The styles are RFC 6570's and four more (OpenAPI 3.1.1, Parameter Object, Style Values and Style Examples; `cookie`:
OpenAPI 3.2).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

from fairtrial_import.json_value import compact_json

Quote = Callable[[str], str]


@dataclass(frozen=True)
class Style:
    """How one style joins. `within` stands between the elements of one value, `between` between those that explode."""

    first: str = ""
    between: str = "&"
    within: str = ","
    is_named: bool = True
    empty: str = "="
    """what follows the name of an empty value"""


STYLES: Mapping[str, Style] = {
    "simple": Style(between=",", is_named=False),
    "label": Style(first=".", between=".", is_named=False),
    "matrix": Style(first=";", between=";", empty=""),
    "form": Style(),
    "spaceDelimited": Style(within="%20"),
    "pipeDelimited": Style(within="%7C"),
    "deepObject": Style(),
    "cookie": Style(between="; "),
}
EXPLODES = frozenset({"form", "cookie", "deepObject"})
"""Styles that explode unless the document says otherwise."""


def percent_encoded(text: str) -> str:
    """Everything but unreserved characters is encoded."""
    return quote(text, safe="", errors="replace")


def form_encoded(text: str) -> str:
    """As forms have it: a space becomes `+`."""
    return quote_plus(text, errors="replace")


def with_reserved(text: str) -> str:
    """`allowReserved`: reserved characters stay (RFC 6570, 3.2.3), but for those that no query may hold."""
    return quote(re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text), safe="%:/?@!$&'()*+,;=", errors="replace")


def reserved_in_path(text: str) -> str:
    """`allowReserved` in a path: without the characters that would end a step of it (OpenAPI 3.2, Parameter Object)."""
    return with_reserved(text).replace("/", "%2F").replace("?", "%3F")


def styled(name: str, value: Any, style_name: str, explode: Any, quoted: Quote) -> str:
    """A value in a style, with its name where the style has one. Empty for a list or an object without elements.

    Args:
        quoted: encodes a name, or an element of a value.
        explode: as the document has it; anything but a truth value stands for the style's default.
    """
    style = STYLES[style_name]
    explodes = explode if isinstance(explode, bool) else style_name in EXPLODES
    if isinstance(value, dict | list) and not value:
        return ""  # as RFC 6570 has it, 2.3
    if isinstance(value, dict | list) and style_name == "deepObject":
        parts = [f"{quoted(key)}={quoted(each)}" for key, each in _deep(name, value)]
    elif isinstance(value, dict) and explodes:
        pairs = [(quoted(key), quoted(plain_text(each))) for key, each in value.items()]
        parts = [_with_name(key, text, style) if style.is_named else f"{key}={text}" for key, text in pairs]
    else:
        groups = [[each] for each in value] if isinstance(value, list) and explodes else [_elements(value)]
        texts = [style.within.join(quoted(plain_text(each)) for each in group) for group in groups]
        parts = [_with_name(quoted(name), text, style) if style.is_named else text for text in texts]
    return style.first + style.between.join(parts)


def is_defined(value: Any, style_name: str, explode: Any) -> bool:
    """Whether the specification says how the style writes such a value."""
    if isinstance(value, dict | list) and not value and STYLES[style_name].is_named:
        return False  # nothing is written, as if it were not given
    elements: Iterable[Any] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if any(each is None or isinstance(each, dict | list) for each in elements):
        return False
    if style_name == "deepObject":
        return isinstance(value, dict) and explode is not False
    return not style_name.endswith("Delimited") or (isinstance(value, dict | list) and explode is not True)


def plain_text(value: Any) -> str:
    """A primitive value as text; a list or an object, for which there is no rule, as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact_json(value)


def _elements(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [each for pair in value.items() for each in pair]
    return value if isinstance(value, list) else [value]


def _with_name(name: str, text: str, style: Style) -> str:
    return f"{name}={text}" if text else f"{name}{style.empty}"


def _deep(name: str, value: Any) -> list[tuple[str, str]]:
    """`name[key]`; of what is nested more deeply `name[key][0][inner]`, as most servers read it."""
    if not isinstance(value, dict | list) or not value:
        return [(name, plain_text(value))]
    pairs: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
    return [pair for key, each in pairs for pair in _deep(f"{name}[{key}]", each)]
