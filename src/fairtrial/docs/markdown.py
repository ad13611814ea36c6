"""Prose and lists as the pages have them."""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence

from fairtrial.judge.checks.model import Threshold

WIDTH = 120


def prose(text: str) -> str:
    """Paragraphs, each wrapped anew."""
    return "\n\n".join(_wrapped(paragraph) for paragraph in text.split("\n\n"))


def bullets(items: Iterable[str]) -> str:
    """A list of these texts."""
    return "\n".join(_wrapped(f"- {item}", "  ") for item in items)


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a row for each of `rows`."""
    lines = (f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |" for row in rows)
    return "\n".join((f"| {' | '.join(heading)} |", "|" + " --- |" * len(heading), *lines))


def code(text: str) -> str:
    """A name as it is typed."""
    return f"`{text}`"


def as_sentence(text: str) -> str:
    """A text that begins with a capital and ends with a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def thresholds_with_sources(thresholds: Mapping[str, Threshold], linked: Callable[[str], str] = str) -> str:
    """A list of thresholds, each with its value, its unit and where it comes from.

    Args:
        linked: gives a text its links.
    """
    return bullets(
        linked(f"`{key}` {each.value:g} ({each.unit}). {as_sentence(each.source)}") for key, each in thresholds.items()
    )


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        " ".join(text.split()), WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
