"""Differences that answers may have: `[reference]` of a workload file."""

import re
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from fairtrial.base.strict import Strict

MOST_POINTERS = 64
"""As many as the engine takes: docs/engine-protocol.md, "A reference"."""


def _pointer(text: str) -> str:
    if text and not text.startswith("/"):
        raise ValueError(f'{text!r} is no JSON pointer: write "/{text}" (RFC 6901); * stands for any member or element')
    return text


def _pattern(text: str) -> str:
    try:
        re.compile(text, re.ASCII)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None
    return text


Pointer = Annotated[str, AfterValidator(_pointer)]


class TextRule(Strict):
    """A replacement in bodies that are no JSON."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    matches: Annotated[str, AfterValidator(_pattern)] = Field(min_length=1, description="a regular expression")
    stands_for: str = Field(alias="is", description="what stands in the place of what it matches, as it is")


class Normalisation(Strict):
    """Differences of two answers that say the same: docs/equal-answers.md."""

    volatile: list[Pointer] = Field(
        default_factory=list, description="values that are there in both and of one type; * stands for any"
    )
    renamed: list[Pointer] = Field(default_factory=list, description="values that are equal up to renaming")
    unordered: list[Pointer] = Field(default_factory=list, description="arrays whose order does not count")
    text: list[TextRule] = Field(default_factory=list, description="what is replaced in bodies that are no JSON")

    @model_validator(mode="after")
    def _few(self) -> "Normalisation":
        count = len(self.volatile) + len(self.renamed) + len(self.unordered)
        if count > MOST_POINTERS:
            raise ValueError(f"{count} pointers, and at most {MOST_POINTERS} are taken: use * in them")
        return self
