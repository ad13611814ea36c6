"""Templates of Mustache (mustache(5)) as far as the Dockerfiles of the-benchmarker use them: sections, inverted
sections, values. Of a list they ask `length`, as Ruby's Mustache answers and Python's libraries do not."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fairtrial.base.problem import Problem

SECTION = re.compile(r"\{\{([#^])\s*([\w.]+)\s*\}\}(.*?)\{\{/\s*\2\s*\}\}", re.DOTALL)
VALUE = re.compile(r"\{\{\{\s*([\w.]+)\s*\}\}\}|\{\{&?\s*([\w.]+)\s*\}\}")


def render(template: str, values: Mapping[str, Any]) -> str:
    """The template with these values, none of them escaped.

    Raises:
        Problem: it uses something else of Mustache.
    """
    text = _rendered(template, (values,))
    if "{{" in text and "}}" in text:
        rest = text[text.index("{{") :].splitlines()[0][:80]
        raise Problem(f"{rest}: not a value or a section", "adopt one whose Dockerfile has these alone")
    return text


def _rendered(template: str, contexts: Sequence[Any]) -> str:
    def section(match: re.Match[str]) -> str:
        value = _value(match[2], contexts)
        if match[1] == "^":
            return "" if _holds(value) else _rendered(match[3], contexts)
        if not _holds(value):
            return ""
        each_of = value if isinstance(value, list) else [value]
        return "".join(_rendered(match[3], (*contexts, each)) for each in each_of)

    text = SECTION.sub(section, template)
    return VALUE.sub(lambda match: _as_text(_value(match[1] or match[2], contexts)), text)


def _holds(value: Any) -> bool:
    return value is not None and value is not False and value != []


def _as_text(value: Any) -> str:
    return "" if value is None else str(value)


def _value(name: str, contexts: Sequence[Any]) -> Any:
    """The value of this name in the innermost context that has its first part."""
    if name == ".":
        return contexts[-1]
    first, *further = name.split(".")
    value = next((each[first] for each in reversed(contexts) if isinstance(each, Mapping) and first in each), None)
    for part in further:
        if part == "length" and isinstance(value, list):
            value = len(value) or None
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    return value
