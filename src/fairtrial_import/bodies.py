"""Bodies of found requests, by their media type."""

import json
import re
from collections.abc import Sequence
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.multipart import FORM_METHODS, SENT_TYPE
from fairtrial_import.model import Body, FormBody, FormFile, FoundJson, TextBody
from fairtrial_import.template import PLACEHOLDER

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
DEEPEST = 32
"""No request that anybody wrote nests more deeply; TOML's own parsers give up far beyond."""
LARGEST_INTEGER = 1 << 63
LONGEST_CHARACTERS = 256 << 10
"""A longer body belongs in a file of its own: `body_file`."""


def media_type(content_type: str) -> str:
    """A content type without its parameters, in lower case; empty if it is none."""
    name = content_type.partition(";")[0].strip().lower()
    return name if re.fullmatch(r"[a-z0-9!#$&^_.+-]{1,127}/[a-z0-9!#$&^_.+-]{1,127}", name) else ""


def is_json(content_type: str) -> bool:
    """Whether a media type is JSON's (RFC 6839, 3.1, for the suffix)."""
    name = media_type(content_type)
    return name == JSON or name.endswith("+json")


def typed_body(text: str, content_type: str) -> Body:
    """A template as a body: JSON if the content type says so and TOML can hold it, else text."""
    if is_json(content_type):
        try:
            value = json.loads(text, object_pairs_hook=_unique)
        except (ValueError, RecursionError):
            return TextBody(text)
        if fits_toml(value):
            return FoundJson(value)
    return TextBody(text)


def template_body(text: str, content_type: str) -> Body:
    """The same. Where JSON has a placeholder without quotes, as for a number, a workload file has it in quotes."""
    if is_json(content_type) and PLACEHOLDER.search(text):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            quoted = re.sub(rf"(?<=[:\[,\s])({PLACEHOLDER.pattern})(?=\s*[,\]}}]|\s*$)", r'"\1"', text)
            body = typed_body(quoted, content_type)
            return body if isinstance(body, FoundJson) else TextBody(text)
    return typed_body(text, content_type)


def form_body(method: str, parts: Sequence[tuple[str, str | FormFile]], where: str, remedy: str) -> FormBody:
    """The parts of a form as a body.

    Raises:
        Problem: there is none, two have one name, a file has no path or a broken type, or the method sends none: a
            workload file cannot hold it.
    """
    if method.upper() not in FORM_METHODS:
        raise Problem(f"{where}: {printable(method.upper(), 20)} sends no form", "send it by POST, PUT or PATCH")
    names = [name for name, _ in parts]
    if not names or len(set(names)) < len(names):
        reason = "two parts of its form have one name" if names else "its form has no part"
        raise Problem(f"{where}: {reason}", remedy)
    files = [part for _, part in parts if isinstance(part, FormFile)]
    if any(not part.path or (part.media_type and not SENT_TYPE.fullmatch(part.media_type)) for part in files):
        raise Problem(f"{where}: a file of its form has no path, or a media type that is none", remedy)
    return FormBody(tuple(parts))


def fits_toml(value: Any, depth: int = 0) -> bool:
    """Whether TOML can hold a JSON value: it has no null, integers of 64 bits, and here no number beyond a double."""
    if depth > DEEPEST or value is None:
        return False
    if isinstance(value, dict):
        return all(fits_toml(each, depth + 1) for each in value.values())
    if isinstance(value, list):
        return all(fits_toml(each, depth + 1) for each in value)
    if isinstance(value, int):
        return -LARGEST_INTEGER <= value < LARGEST_INTEGER
    return not isinstance(value, float) or abs(value) < float("inf")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. One that has a key twice, or braces in a key, which is no template, stays text."""
    if len({key for key, _ in pairs}) < len(pairs) or any("{{" in key for key, _ in pairs):
        raise ValueError("a key stands twice, or holds braces")
    return dict(pairs)
