"""A value of a sweep: a number, or a category, which is a boolean or a word."""

from collections.abc import Sequence

Number = int | float
Value = bool | int | float | str
"""`bool` stands first: Python takes True for 1, and a sweep does not."""


def format_value(value: Value) -> str:
    """The value as files and reports write it: `16`, `0.5`, `true`, `upsert`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:g}"


def values_in_words(values: Sequence[Value]) -> str:
    """`from 1 to 16`; categories are listed."""
    numbers = [value for value in values if not isinstance(value, bool | str)]
    if len(numbers) == len(values):
        return f"from {min(numbers):g} to {max(numbers):g}"
    return ", ".join(dict.fromkeys(map(format_value, values)))


def parse_value(text: str) -> Value:
    """The value that a text stands for: true and false are booleans, numbers are numbers, anything else is a word."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text
