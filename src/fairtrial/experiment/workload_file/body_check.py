"""The lab's own look at bodies that the engine hands it: a JSON Schema and patterns by pointer, or a page."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema_rs

from fairtrial.base.json_members import once_each
from fairtrial.base.json_pointer import value_at
from fairtrial.base.printable import printable
from fairtrial.experiment.workload_file.html_page import HtmlPage
from fairtrial.experiment.workload_file.schema import AnswerSchema

SHOWN_CHARACTERS = 60


class Pattern:
    """A regular expression as JSON Schema has them (ECMA-262 without look-around), searched in linear time.

    Raises:
        ValueError: it is none.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._validator = jsonschema_rs.Draft202012Validator(
                {"pattern": text}, pattern_options=jsonschema_rs.RegexOptions()
            )
        except ValueError as error:
            raise ValueError(f"{text!r} is no regular expression without look-around and back-references") from error

    def is_in(self, text: str) -> bool:
        """Whether it matches a part of the text."""
        return self._validator.is_valid(text)


class _NumberText(float):
    """A number with its text as it came."""

    text: str

    def __new__(cls, text: str) -> "_NumberText":
        """The number that a JSON text stands for."""
        number = super().__new__(cls, text)
        number.text = text
        return number


@dataclass(frozen=True)
class BodyCheck:
    """A demand on a body. Safe against any body: it is read within the bounds of the engine's."""

    schema: AnswerSchema | None = None
    matches: Mapping[str, Pattern] = field(default_factory=dict)
    """by JSON pointer, over a text, or over the text of a number"""
    html: HtmlPage | None = None
    """alone: a page is no JSON"""

    def fault(self, body: str | None) -> str | None:
        """The fault of a body, for people, with the smallest excerpt that shows it; None if nothing is.

        Args:
            body: None if it is not UTF-8.
        """
        if body is None:
            return "not UTF-8"
        if self.html is not None:
            return self.html.fault(body)
        try:
            fault = None
            if self.schema is not None:
                fault = self.schema.fault(json.loads(body, parse_constant=_no_constant, object_pairs_hook=once_each))
            return fault or (self._unmatched(body) if self.matches else None)
        except RecursionError:
            return "not JSON: nested too deeply"
        except ValueError as error:
            return f"not JSON: {printable(str(error), 120)}"

    def _unmatched(self, body: str) -> str | None:
        value = json.loads(
            body,
            parse_constant=_no_constant,
            object_pairs_hook=once_each,
            parse_int=_NumberText,
            parse_float=_NumberText,
        )
        for pointer, pattern in self.matches.items():
            place = pointer or "the body"
            try:
                element = value_at(value, pointer)
            except LookupError:
                return f"{place} is missing, and is to match {pattern.text}"
            text = element.text if isinstance(element, _NumberText) else element
            if not isinstance(text, str):
                return f"{place} is neither a text nor a number, and is to match {pattern.text}"
            if not pattern.is_in(text):
                return (
                    f"{place} is {printable(json.dumps(text), SHOWN_CHARACTERS)}, which does not match {pattern.text}"
                )
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")
