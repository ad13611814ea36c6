"""`{{…}}` in the texts of a workload file, and how the engine's templates are written from them.

Docs: docs/workload-file.md, "Placeholders"; docs/engine-protocol.md, "Templates".
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fairtrial.base.problem import Problem
from fairtrial.base.registry import did_you_mean

OPEN, CLOSE = "{{", "}}"
MOST_RANKS = 1 << 53
LARGEST_NUMBER = (1 << 63) - 1
"""As in the engine: docs/engine-protocol.md, "Templates"."""

SHOWN_CHARACTERS = 60

Scalar = str | int | float
"""A text, a number or a boolean, as rows and answers have them."""

SAFE_IN_A_PATH = "-._~:"
"""Beside letters and digits: as the engine encodes cells of rows."""


@dataclass(frozen=True)
class Placeholder:
    """A part that differs by request or by machine."""

    name: str
    arguments: tuple[str, ...]

    @property
    def is_number(self) -> bool:
        """Whether a number always stands in its place."""
        return self.name in ("uniform", "zipf", "sequence")

    def __str__(self) -> str:
        return f"{OPEN}{' '.join((self.name, *self.arguments))}{CLOSE}"


Part = str | Placeholder


def parts_of(text: str) -> list[Part]:
    """A text as literals and placeholders, in order. `{{{{` is a literal `{{`; no two literals follow each other.

    Raises:
        ValueError: a placeholder is not closed, not known, or has wrong arguments; the message says what is allowed.
    """
    parts: list[Part] = []
    literal = ""
    rest = text
    while (at := rest.find(OPEN)) >= 0:
        literal, rest = literal + rest[:at], rest[at + len(OPEN) :]
        if rest.startswith(OPEN):
            literal, rest = literal + OPEN, rest[len(OPEN) :]
            continue
        inner, closed, rest = rest.partition(CLOSE)
        if not closed:
            excerpt = f"{OPEN}{inner}"[:SHOWN_CHARACTERS]
            raise ValueError(f"{excerpt!r} is not closed by }}}}; for two braces as such, write {{{{{{{{")
        if literal:
            parts.append(literal)
        parts.append(_placeholder(inner))
        literal = ""
    return [*parts, literal + rest] if literal + rest else parts


def placeholders_in(text: str) -> list[Placeholder]:
    """The placeholders of a text that `parts_of` accepts, in order."""
    return [part for part in parts_of(text) if isinstance(part, Placeholder)]


def _placeholder(inner: str) -> Placeholder:
    name, *arguments = inner.split() or [""]
    form = FORMS.get(name)
    excerpt = f"{OPEN}{inner}{CLOSE}"[:SHOWN_CHARACTERS]
    if form is None:
        patterns = ", ".join(each.pattern for each in FORMS.values())
        raise ValueError(f"{excerpt} is no placeholder{did_you_mean(name, FORMS)}; there are {patterns}")
    if (wrong := form.fault(arguments)) is not None:
        raise ValueError(f"{excerpt}: {wrong}; write {form.pattern}, such as {form.example}")
    return Placeholder(name, tuple(arguments))


@dataclass(frozen=True)
class _Form:
    pattern: str
    example: str
    fault: Callable[[Sequence[str]], str | None]
    """what is wrong with the arguments; None: nothing"""


def _uniform(arguments: Sequence[str]) -> str | None:
    numbers = [_whole(each) for each in arguments]
    if len(numbers) != 2 or None in numbers:
        return "FROM and TO are whole numbers from 0 on"
    first, last = numbers
    return "FROM is above TO" if first is not None and last is not None and first > last else None


def _zipf(arguments: Sequence[str]) -> str | None:
    if len(arguments) != 2 or not 1 <= (_whole(arguments[0]) or 0) <= MOST_RANKS:
        return "RANKS is a whole number from 1 on"
    return None if is_exponent(arguments[1]) else "EXPONENT is a number from 0.01 to 20"


def _sequence(arguments: Sequence[str]) -> str | None:
    return None if len(arguments) == 1 and _whole(arguments[0]) is not None else "FROM is a whole number from 0 on"


def _row(arguments: Sequence[str]) -> str | None:
    return None if len(arguments) == 2 else "it needs the name of [rows.NAME] and that of a column"


def _env(arguments: Sequence[str]) -> str | None:
    fits = len(arguments) == 1 and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", arguments[0])
    return None if fits else "it needs the name of an environment variable"


def _var(arguments: Sequence[str]) -> str | None:
    return None if len(arguments) == 1 else "it needs the name of a variable that a setup request takes"


def is_exponent(text: str) -> bool:
    """Whether a text is an exponent of Zipf's law that the engine takes."""
    return re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII) is not None and 0.01 <= float(text) <= 20


def _whole(text: str) -> int | None:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
    return number if number is not None and number <= LARGEST_NUMBER else None


FORMS = {
    "uniform": _Form("{{uniform FROM TO}}", "{{uniform 1 1000}}", _uniform),
    "zipf": _Form("{{zipf RANKS EXPONENT}}", "{{zipf 1000 1.1}}", _zipf),
    "sequence": _Form("{{sequence FROM}}", "{{sequence 1}}", _sequence),
    "row": _Form("{{row NAME COLUMN}}", "{{row items id}}", _row),
    "env": _Form("{{env NAME}}", "{{env SHOP_TOKEN}}", _env),
    "var": _Form("{{var NAME}}", "{{var token}}", _var),
}


class TemplateWriter:
    """Writes the engine's templates, with the values of environment variables in them.

    Args:
        prefix: what messages put before keys: `shop.workload.toml: `.
        environment: variables by name.
        numbers_taken: how many numbers of each sequence are not given again.
        fixed: what stands in place of placeholders that the engine does not replace, such as `{{var token}}`.
    """

    def __init__(
        self,
        prefix: str,
        environment: Mapping[str, str],
        numbers_taken: int = 0,
        fixed: Mapping[Placeholder, Scalar] | None = None,
    ) -> None:
        self._prefix, self._environment, self._numbers_taken = prefix, environment, numbers_taken
        self._fixed = fixed or {}
        self.used: dict[str, str] = {}
        """the variables that were written so far"""
        self.columns: dict[str, dict[str, list[str]]] = {}
        """by rows and name, columns that were added to those of their file so far: a text for each row"""

    def path(self, text: str, key: str) -> str:
        """A path. The engine percent-encodes cells of rows itself."""
        return self._template(text, key, str, lambda value: quote(value, safe=SAFE_IN_A_PATH))

    def text(self, text: str, key: str) -> str:
        """The value of a header, or a body."""
        return self._template(text, key, str, str)

    def json(self, value: Any, key: str) -> str:
        """A value as JSON text. A placeholder that is a whole string becomes a value of its own type.

        Raises:
            Problem: a variable is not set.
        """
        if isinstance(value, str):
            return self._json_string(value, key)
        if isinstance(value, dict):
            members = (f"{_literal(json.dumps(name))}:{self.json(each, key)}" for name, each in value.items())
            return "{" + ",".join(members) + "}"
        if isinstance(value, list):
            return "[" + ",".join(self.json(each, key) for each in value) + "]"
        return json.dumps(value)

    def plain(self, text: str, key: str) -> str:
        """A text that is no template of the engine's: of placeholders it has only variables."""
        return "".join(part if isinstance(part, str) else self._value(part, key) for part in parts_of(text))

    def _json_string(self, text: str, key: str) -> str:
        parts = parts_of(text)
        if len(parts) == 1 and isinstance(parts[0], Placeholder) and parts[0].name != "env":
            if parts[0] in self._fixed:
                return _literal(json.dumps(self._fixed[parts[0]], ensure_ascii=False))
            return self._placeholder(parts[0], "json")
        return f'"{self._template(text, key, _escaped, _escaped, "escaped")}"'

    def _template(
        self, text: str, key: str, literal: Callable[[str], str], value: Callable[[str], str], cell: str = ""
    ) -> str:
        """A template.

        Args:
            literal, value: how literals and values of variables are spelled there.
            cell: how the engine is to spell a cell of a row.
        """
        template, fixed = "", ""
        for part in parts_of(text):
            if isinstance(part, str):
                fixed += literal(part)
            elif part.name == "env" or part in self._fixed:
                fixed += value(self._value(part, key))
            else:
                template, fixed = template + _literal(fixed) + self._placeholder(part, cell), ""
        return template + _literal(fixed)

    def _placeholder(self, placeholder: Placeholder, cell: str) -> str:
        if placeholder.name in ("row", "var") and cell:
            return str(Placeholder(placeholder.name, (*placeholder.arguments, cell)))
        if placeholder.name == "sequence":
            return str(Placeholder("sequence", (str(int(placeholder.arguments[0]) + self._numbers_taken),)))
        return str(placeholder)

    def _value(self, placeholder: Placeholder, key: str) -> str:
        if placeholder in self._fixed:
            return spelled(self._fixed[placeholder])
        (name,) = placeholder.arguments
        value = self._environment.get(name)
        if value is None:
            raise Problem(f"{self._prefix}{key}: the variable {name} is not set", f"set it: export {name}=…")
        self.used[name] = value
        return value


def spelled(value: Scalar) -> str:
    """A value within a text: a text as it is, anything else as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def as_sent(template: str) -> str:
    """The engine's text for a template that is left without placeholders."""
    return template.replace(OPEN + OPEN, OPEN)


def _escaped(text: str) -> str:
    """As it stands within a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _literal(text: str) -> str:
    """As it stands in a template."""
    return text.replace(OPEN, OPEN + OPEN)
