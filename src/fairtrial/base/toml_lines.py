"""On which line of a TOML file each key stands: tomllib does not tell."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST_STATEMENT = 500
"""Lines of one statement, such as a text over several lines; in a longer one no key is looked for, nor behind it."""

ENDS = ("]", "}", '"""', "'''")
"""One of which is in the last line of a statement over several."""


def key_lines(text: str) -> dict[str, int]:
    """The line, from 1, on which each key begins: `load.connections`, `claims[2]` (its header), `claims[2].at_least`.

    Keys within an inline table have none; the line of the key that holds it is theirs.
    """
    lines: dict[str, int] = {}
    counts: Counter[str] = Counter()
    prefix = ""
    for number, statement in _statements(text):
        header = statement.lstrip()
        if header.startswith("["):
            prefix = _path(tomllib.loads(statement), None)
            if header.startswith("[["):
                counts[prefix] += 1
                prefix = f"{prefix}[{counts[prefix] - 1}]"
            lines[prefix] = number
        else:
            parts = 1 + header.partition("=")[0].count(".")
            lines[f"{prefix}.{_path(tomllib.loads(statement), parts)}".removeprefix(".")] = number
    return lines


def line_of_key(lines: Mapping[str, int], key: str) -> int | None:
    """The line of a key; of one that is not in the file, that of the table in which it would stand; else None."""
    while key:
        if key in lines:
            return lines[key]
        key = key.rpartition(".")[0] if not key.endswith("]") else key.rpartition("[")[0]
    return None


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each header and each key with its value, which may go over several lines."""
    rows: list[str] = []
    first = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not rows and (not line.strip() or line.lstrip().startswith("#")):
            continue
        if not rows:
            first = number
        rows.append(line)
        if len(rows) > LONGEST_STATEMENT:
            return
        if len(rows) > 1 and not any(end in line for end in ENDS):
            continue
        statement = "\n".join(rows)
        if _is_whole(statement):
            yield first, statement
            rows = []


def _is_whole(statement: str) -> bool:
    try:
        tomllib.loads(statement)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return True


def _path(statement: Mapping[str, Any], parts: int | None) -> str:
    """The key of a statement that was read by itself, `a.b` of `{"a": {"b": …}}`, up to so many parts of it."""
    keys: list[str] = []
    value: Any = statement
    while isinstance(value, dict) and len(value) == 1 and (parts is None or len(keys) < parts):
        ((key, value),) = value.items()
        keys.append(key)
    return ".".join(keys)
