"""The parts of docs/engine-protocol.md: the keys of the summary, from the model by which the lab reads it."""

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from fairtrial.docs.markdown import bullets
from fairtrial.record.engine_summary import Distribution, EngineSummary


def protocol_parts() -> Mapping[str, str]:
    """By the name of the part: `summary` and `distribution`."""
    return {"summary": _key_list(EngineSummary), "distribution": _key_list(Distribution)}


def _key_list(model: Any) -> str:
    return "\n".join(textwrap.indent(bullets([text]), depth * "  ") for depth, text in _keys(model))


def _keys(model: Any, depth: int = 0) -> Iterator[tuple[int, str]]:
    """A list's text about each key and about the keys below it; distributions have a list of their own.

    Keys that follow each other and say all by their names share a line.
    """
    plain_keys: list[str] = []
    for name, field in model.__pydantic_fields__.items():
        held_model = _model_in(field.annotation)
        if field.description is None and held_model in (None, Distribution):
            plain_keys.append(f"`{name}`")
            continue
        if plain_keys:
            yield depth, ", ".join(plain_keys)
            plain_keys.clear()
        yield depth, f"`{name}`: {_with_links(field.description)}" if field.description else f"`{name}`"
        if held_model not in (None, Distribution):
            yield from _keys(held_model, depth + 1)
    if plain_keys:
        yield depth, ", ".join(plain_keys)


def _model_in(annotation: Any) -> Any:
    """The model that a field has, or a list of it; None if it has none."""
    if hasattr(annotation, "__pydantic_fields__"):
        return annotation
    return next((model for argument in get_args(annotation) if (model := _model_in(argument)) is not None), None)


def _with_links(text: str) -> str:
    """The text with a link to each section of the page that it tells to see."""

    def link(match: re.Match[str]) -> str:
        anchor = re.sub(r"[^\w\- ]", "", match[1].lower()).replace(" ", "-")
        return f"[{match[1]}](#{anchor})"

    return re.sub(r'see "([^"]+)"', link, text)
