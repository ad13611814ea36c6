"""`{{…}}` in the texts of a workload file: docs/workload-file.md, "Placeholders"."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairtrial.base.registry import did_you_mean

OPEN, CLOSE = "{{", "}}"
MOST_RANKS = 1 << 53
LARGEST_NUMBER = (1 << 63) - 1
"""As in the engine: docs/engine-protocol.md, "Templates"."""

SHOWN_CHARACTERS = 60


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
