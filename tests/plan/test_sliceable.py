"""What a plan refuses to measure in slices, although the experiment's file looks as if it could be."""

from typing import Any

import pytest

from fairtrial.base.problem import Problem
from tests.plan.plans import planned_contender

DIRECTORY = {"directory": ".", "command": ["true"]}


def test_one_condition_on_a_fixed_port_can_be_measured_in_slices() -> None:
    assert planned_contender(DIRECTORY | {"port": 8080}, slices={}).experiment.slices is not None


@pytest.mark.parametrize(
    ("described", "more"),
    [
        ({"url": "http://127.0.0.1:1"}, {}),
        (DIRECTORY | {"port": 8080}, {"noise_floor": True}),
        (
            DIRECTORY,
            {"claims": [{"id": "b", "kind": "budget", "text": "b", "of": "app", "metric": "errors", "at_most": "1%"}]},
        ),
        (
            DIRECTORY,
            {"workload": {"requests": {"look": {"get": "/"}}, "audit": {"all": {"command": ["true"], "equals": 1}}}},
        ),
    ],
)
def test_conditions_that_cannot_be_up_at_once_are_refused(
    described: dict[str, Any], more: dict[str, Any], snapshot: object
) -> None:
    with pytest.raises(Problem) as error:
        planned_contender(described, slices={}, **more)
    assert str(error.value) == snapshot
