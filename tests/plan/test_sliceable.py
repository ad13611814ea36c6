"""What a plan refuses to measure in slices, although the experiment's file looks as if it could be."""

from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.plan.make import MOST_TOGETHER
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
    assert planned_contender(described, **more).experiment.slices is None


RATIO = {"id": "r", "kind": "ratio", "text": "r", "of": "app", "to": "other", "at_least": 1}
BOTH = {"stacks": ["app", "other"], "contenders": {"app": DIRECTORY, "other": DIRECTORY}}


def of_many(count: int) -> dict[str, Any]:
    """So many contenders, `app` and `other` among them."""
    names = ["app", "other", *(f"further-{number}" for number in range(count - 2))]
    return {"contenders": dict.fromkeys(names, DIRECTORY), "stacks": names}


@pytest.mark.parametrize(
    ("more", "in_slices"),
    [
        ({"claims": [RATIO]}, True),
        ({"claims": [RATIO | {"metric": "response_time_p50", "at_least": 0.5}], "minutes": 1}, True),
        ({"claims": [RATIO], "blocks": 5}, False),
        ({}, False),
        ({"claims": [RATIO | {"metric": "response_time_p99"}]}, True),
        ({"claims": [RATIO, {"id": "b", "kind": "budget", "text": "b", "of": "app", "at_least": "1/s"}]}, False),
        ({"claims": [RATIO], "load": {"kind": "fixed", "requests": 100}}, False),
        ({"claims": [RATIO], "contenders": {"app": DIRECTORY, "other": {"url": "http://127.0.0.1:1"}}}, False),
        ({"claims": [RATIO], "slices": {"seconds": 0.2}}, True),
        ({"claims": [RATIO], **of_many(MOST_TOGETHER)}, True),
        ({"claims": [RATIO], **of_many(MOST_TOGETHER + 1)}, False),
    ],
)
def test_a_plan_that_adds_blocks_is_in_slices_where_its_claims_compare(more: dict[str, Any], in_slices: bool) -> None:
    plan, chosen = (planned_contender(DIRECTORY, may_slice=each, **(BOTH | more)) for each in (False, True))
    assert (chosen.experiment.slices is not None) is in_slices
    assert chosen.experiment.slices == plan.experiment.slices or plan.experiment.slices is None
    assert all(each.point.experiment.slices == chosen.experiment.slices for each in chosen.conditions)
    assert chosen.looks == plan.looks
