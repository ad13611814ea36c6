"""Answers that are compared byte by byte: their requests, how they are spelled, and what differs."""

import json
from collections.abc import Callable
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import Answer, ask
from fairtrial.catalog.contract.clause import StackUnderTest
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import ExactBody, Expectation, Request

EXPECTED_CHARACTERS = 120
"""Of the expected text in a message: as much as of the answer."""


def compact(value: Any) -> str:
    """JSON without white space and without escapes that nothing demands."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def member(name: str) -> Callable[[str], str]:
    """How a member of this name is spelled with a text: `"name":"text"`."""
    return lambda text: f"{compact(name)}:{compact(text)}"


def exact_request(name: str, path: str, text: str, *, content_type: str = "application/json", **terms: Any) -> Request:
    """GET a path, whose answer is this text with the status 200.

    Args:
        terms: further fields of the request.
    """
    expect = Expectation(status=[200], content_type=content_type, body=ExactBody(text=text))
    return Request(name=name, path=path, expect=expect, **terms)


def exact_violation(
    stack: StackUnderTest,
    documented: str,
    path: str,
    expected: str,
    *,
    least_seconds: float = 0.0,
    is_one_of_several: bool = False,
) -> str | None:
    """The fault of the answer to GET of a path; None: it has none.

    Args:
        documented: the path as the OpenAPI document writes it.
        least_seconds: how long the database sleeps or works for it.
        is_one_of_several: whether the path has to be named.
    """
    prefix = f"{path}: " if is_one_of_several else ""
    answer = ask(stack.client, "GET", path)
    difference = mismatch(documented, answer)
    if difference or answer.status != 200:
        return difference or f"{prefix}status {answer.status}"
    if answer.seconds < least_seconds:
        return f"answered after {answer.seconds * 1e3:.0f} ms: the database did not sleep or work"
    inexact = exact_difference(answer, expected)
    return inexact and f"{prefix}{inexact}"


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
