"""All trials of a run are in one network: where a stack asks for one of its own, the others must lie within it, too."""

from typing import Any

import pytest

from fairtrial.base.problem import Problem
from tests.plan.plans import planned_contender

ALONE = {"directory": ".", "command": ["./shop"], "network": "own"}
THERE = {"url": "http://127.0.0.1:1"}
BOTH = {"app": ALONE, "there": THERE}
ELSEWHERE = {"postgresql": {"url_from": "SHOP_DATABASE"}}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"stacks": ["app", "there"], "contenders": BOTH}, "there at http://127.0.0.1:1"),
        (
            {"workload": "page", "stacks": ["app@postgresql"], "services": ELSEWHERE},
            r"the server of \[services\.postgresql\] url_from",
        ),
    ],
)
def test_what_lies_outside_is_refused(more: dict[str, Any], words: str, snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        planned_contender(ALONE, **more)
    assert str(error.value) == snapshot


@pytest.mark.parametrize(
    "more",
    [
        {"stacks": ["app", "other"], "contenders": {"app": ALONE, "other": {**ALONE, "network": None}}},
        {"services": ELSEWHERE},  # which no stack uses here
        {"stacks": ["there"], "contenders": BOTH},
    ],
)
def test_what_lies_within_is_tried_beside_it(more: dict[str, Any]) -> None:
    assert planned_contender(ALONE, **more).conditions
