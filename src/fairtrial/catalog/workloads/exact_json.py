"""Answers that are compared byte by byte: how they are spelled, and what differs."""

import json
from collections.abc import Callable
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import Answer

EXPECTED_CHARACTERS = 120
"""Of the expected text in a message: as much as of the answer."""


def compact(value: Any) -> str:
    """JSON without white space and without escapes that nothing demands."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def member(name: str) -> Callable[[str], str]:
    """How a member of this name is spelled with a text: `"name":"text"`."""
    return lambda text: f"{compact(name)}:{compact(text)}"


def exact_difference(answer: Answer, expected: str) -> str | None:
    """How the body differs from the compact JSON that is expected; None: not at all."""
    if answer.body == expected.encode():
        return None
    same = same_value(answer, expected)
    difference = f"{answer.excerpt()}, not {expected:.{EXPECTED_CHARACTERS}}"
    return f"{difference}: {same}" if same else difference


def same_value(answer: Answer, expected: str) -> str | None:
    """The change to a body that says what is expected, in other bytes; None: it says something else."""
    try:
        value = answer.json()
    except Problem:
        return None
    if value != json.loads(expected):
        return None
    if compact(value) == expected:
        return "the same, but not compact: write it without white space, also at its end, and without escapes"
    return "the same, but with its keys in another order, or with its numbers spelled in another way"
