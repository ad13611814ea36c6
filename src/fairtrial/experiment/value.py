"""A value of a sweep: a number, or a category, which is a boolean or a word."""

Number = int | float
Value = bool | int | float | str
"""`bool` stands first: Python takes True for 1, and a sweep does not."""


def shown(value: Value) -> str:
    """As files and reports write it: `16`, `0.5`, `true`, `upsert`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else f"{value:g}"


def read_back(text: str) -> Value:
    """The value that is written so: true and false are booleans, what reads as a number is one, all else are words."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text
