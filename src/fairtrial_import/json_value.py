"""Values of JSON and YAML documents whose shape is not known: looked at without a surprise."""

import json
from typing import Any


def member_at(value: Any, *names: str) -> Any:
    """The member at the end of these names; None where one of them is missing or stands in no object."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none if it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """A text; empty if it is none."""
    return value if isinstance(value, str) else ""


def as_whole(value: Any) -> int | None:
    """A whole number, or digits that are one; None if it is neither."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10 else None


def compact_json(value: Any) -> str:
    """JSON without spaces between its tokens."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
