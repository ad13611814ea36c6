"""Templates of a workload file: text with `{{…}}` in it."""

import re
from typing import Any
from urllib.parse import quote

PLACEHOLDER = re.compile(r"\{\{[a-z]+(?: [^{}]*)?\}\}")
URL_CHARACTERS = "%/:@!$&'()*+,;=~?[]"
"""Characters in a request target beside letters, digits, `-`, `.` and `_` (RFC 3986; and brackets, as is common)."""


def literal(text: str) -> str:
    """Text as a template that stands for itself."""
    return text.replace("{{", "{{{{")


def literal_json(value: Any) -> Any:
    """A JSON value whose strings stand for themselves. Keys are no templates."""
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, list):
        return [literal_json(each) for each in value]
    if isinstance(value, dict):
        return {key: literal_json(each) for key, each in value.items()}
    return value


def is_placeholders(text: str) -> bool:
    """Whether a template is made of placeholders alone."""
    return PLACEHOLDER.search(text) is not None and not PLACEHOLDER.sub("", text).strip()


def encoded(text: str, safe: str = URL_CHARACTERS) -> str:
    """A template for a request target: everything but its placeholders is percent-encoded where that is needed.

    What is encoded already stays as it is. Braces are encoded, so that they cannot be taken for a placeholder's.
    """
    parts, last = [], 0
    for match in PLACEHOLDER.finditer(text):
        parts += [_quoted(text[last : match.start()], safe), match.group()]
        last = match.end()
    return "".join([*parts, _quoted(text[last:], safe)])


def _quoted(text: str, safe: str) -> str:
    return quote(text, safe=safe, errors="replace")
