"""TOML 1.0 as text, line by line, with comments.

A library for this (tomlkit) keeps the comments of a file that it edits, which nobody needs here, and writes control
characters of the C1 set and changes of direction as they are; but what is written here is shown in terminals.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fairtrial.base.printable import CONTROL, printable

WIDTH = 120
LONGEST_REMARK = 1000
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
LETTERS = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
ESCAPED = re.compile(rf'["\\]|{CONTROL.pattern}')
Value = Any
"""A text, a truth value, a whole number of 64 bits, a finite number, or lists and tables of these."""


def string(text: str) -> str:
    """A basic string. Control, invisible and direction-changing characters are escaped.

    Lone surrogates, which TOML cannot hold, become U+FFFD.
    """
    return f'"{ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    return LETTERS.get(character) or f"\\u{0xFFFD if 0xD800 <= code < 0xE000 else code:04x}"


def long_string(text: str) -> str:
    """A multi-line basic string: the same, with its line ends as they are."""
    lines = [ESCAPED.sub(_escape, line) for line in text.split("\n")]
    return '"""\n' + "\n".join(lines) + '"""'


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if BARE_KEY.fullmatch(name) else string(name)


def inline(value: Value) -> str:
    """A value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key(name)} = {inline(each)}" for name, each in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(inline(each) for each in value)}]"
    return string(str(value))


def table_lines(path: Sequence[str], values: Mapping[str, Value]) -> list[str]:
    """The lines of a table `[path]`. A table among its values that does not fit into a line becomes one of its own."""
    lines = [f"[{'.'.join(key(name) for name in path)}]"]
    further: list[str] = []
    for name, value in values.items():
        line = f"{key(name)} = {inline(value)}"
        if len(line) <= WIDTH:
            lines.append(line)
        elif isinstance(value, Mapping):
            further += ["", *table_lines([*path, name], value)]
        elif isinstance(value, str) and "\n" in value:
            lines.append(f"{key(name)} = {long_string(value)}")
        elif isinstance(value, list):
            lines += [f"{key(name)} = [", *(f"    {inline(each)}," for each in value), "]"]
        else:
            lines.append(line)
    return lines + further


def comments(remarks: Iterable[str]) -> list[str]:
    """Remarks as lines of comments, wrapped, without characters that control a terminal.

    A remark that begins with spaces is indented by them and kept on one line.
    """
    lines = []
    for remark in remarks:
        text = printable(remark, LONGEST_REMARK)
        indent = " " * (len(remark) - len(remark.lstrip(" ")))
        if indent:
            lines.append(f"# {indent}{text}")
        else:
            lines += textwrap.wrap(
                text,
                WIDTH,
                initial_indent="# ",
                subsequent_indent="#   ",
                break_on_hyphens=False,
                break_long_words=False,
            )
    return lines
