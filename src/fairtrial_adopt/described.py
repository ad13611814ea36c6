"""The files by which entries are described: of others, and therefore bounded and checked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairtrial.base.json_or_yaml import BrokenDocument, parse_json_or_yaml
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.regular_file import read_regular
from fairtrial_import.assemble import slug

LARGEST_BYTES = 256 << 10


def file_within(folder: Path, name: str) -> Path:
    """The file of this name in an entry's folder.

    Raises:
        Problem: it is elsewhere, by its name or by a link: what it says would come into the adopted entry.
    """
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()):
        reason = f"dockerfile: {printable(name, 100)} leads out of the entry"
        raise Problem(reason, "adopt one whose Dockerfile is a file of its own")
    return file


def text_of(file: Path) -> str:
    """A file's text.

    Raises:
        Problem: it cannot be read, or is larger than 256 KiB.
    """
    try:
        content = read_regular(file, LARGEST_BYTES)
    except OSError as error:
        raise Problem(f"{file}: cannot be read: {error.strerror}", "adopt it from within its collection") from error
    if len(content) > LARGEST_BYTES:
        raise Problem(f"{file}: larger than {LARGEST_BYTES} bytes", "is it the right file?")
    return content.decode(errors="replace")


def table_of(file: Path) -> dict[str, Any]:
    """A file of JSON or YAML whose value is a table.

    Raises:
        Problem: it is not.
    """
    try:
        value = parse_json_or_yaml(text_of(file))
    except BrokenDocument as error:
        raise Problem(f"{file}: {error}", "correct it") from error
    if not isinstance(value, dict):
        raise Problem(f"{file}: holds no table", "is it the right file?")
    return value


def table_at(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The table of this key; an empty one where there is none."""
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def slug_of(*names: str) -> str:
    """The name of a contender, of these words without those that are empty."""
    return slug("-".join(name for name in names if name)) or "entry"
