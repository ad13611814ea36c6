"""The kinds of texts and values that a workload file holds, each checked when it is read."""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from fairtrial.base.http_syntax import RESERVED_HEADERS, TOKEN
from fairtrial.base.units import parse_duration
from fairtrial.experiment.workload_file.placeholders import parts_of
from fairtrial.experiment.workload_file.think import engine_think
from fairtrial.experiment.workload_file.variables import parse_taken

DEEPEST_JSON = 64


def _template(text: str) -> str:
    parts_of(text)
    return text


def _target(text: str) -> str:
    literals = "".join(part for part in parts_of(text) if isinstance(part, str))
    if not text.startswith("/"):
        raise ValueError("a path begins with /; the server's address is no part of it")
    if not literals.isascii() or not literals.isprintable() or " " in literals:
        raise ValueError("a path holds visible ASCII characters only: percent-encode others")
    return text


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not TOKEN.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a header")
        if name.lower() in (*RESERVED_HEADERS, "host"):
            raise ValueError(f"{name}: is set by Fairtrial: leave it out")
        if any((ord(character) < 32 and character != "\t") or ord(character) == 127 for character in value):
            raise ValueError(f"{name}: the value holds a control character: write it on one line")
    lower = [name.lower() for name in headers]
    twice = next((name for name in lower if lower.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{twice} is there twice: names of headers are the same in any case")
    return headers


def _take(text: str) -> str:
    parse_taken(text)
    return text


def _think(text: str) -> str:
    engine_think(text)
    return text


def time_between(least: float, most: float, in_words: str) -> AfterValidator:
    """Requires a time with its unit.

    Args:
        least, most: seconds.
        in_words: these, and how to write one.
    """

    def assert_between(text: str) -> str:
        try:
            is_between = least <= parse_duration(text) <= most
        except ValueError:
            is_between = False
        if not is_between:
            raise ValueError(f"{text!r} is no time {in_words}")
        return text

    return AfterValidator(assert_between)


def _json(value: Any) -> Any:
    for pointer, text in json_strings(value):
        try:
            parts_of(text)
        except ValueError as error:
            raise ValueError(f"{pointer or '/'}: {error}") from None
    return value


def json_strings(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """(JSON pointer, text) of each string in a value. Keys of objects are no templates.

    Raises:
        ValueError: something in it is no JSON, such as a date, or it is nested too deeply.
    """
    if pointer.count("/") > DEEPEST_JSON:
        raise ValueError(f"nested more than {DEEPEST_JSON} deep")
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from json_strings(each, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from json_strings(each, f"{pointer}/{place}")
    elif not isinstance(value, bool | int | float) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"{pointer or '/'}: {value} is no JSON: write it as a text, in quotes")


Template = Annotated[str, AfterValidator(_template)]
Target = Annotated[str, AfterValidator(_target)]
Headers = Annotated[dict[str, Template], AfterValidator(_headers)]
Json = Annotated[Any, AfterValidator(_json)]
Take = Annotated[str, AfterValidator(_take)]
Think = Annotated[str, AfterValidator(_think)]
Cookies = Literal["journey", "connection"]
"""who keeps those that answers set"""
