"""What a plan refuses to measure in slices, although the experiment's file looks as if it could be."""

from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.slices import MOST_TOGETHER, Slices
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
            {"workload": {"requests": {"look": {"get": "/", "journey": "walk"}}}},
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
    assert planned_contender(described, may_slice=True, **more).experiment.slices is None


RATIO = {"id": "r", "kind": "ratio", "text": "r", "of": "app", "to": "other", "at_least": 1}
BOTH = {"stacks": ["app", "other"], "contenders": {"app": DIRECTORY, "other": DIRECTORY}}
SWEEP = {"parameter": "load.connections", "values": [1, 2]}
DEFAULT = Slices(tails=True, gives_way=True)


def of_many(count: int) -> dict[str, Any]:
    """So many contenders, `app` and `other` among them."""
    names = ["app", "other", *(f"further-{number}" for number in range(count - 2))]
    return {"contenders": dict.fromkeys(names, DIRECTORY), "stacks": names}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"claims": [RATIO]}, DEFAULT),
        ({"claims": [RATIO | {"metric": "response_time_p99"}], "minutes": 1}, DEFAULT),
        ({"claims": [RATIO], "blocks": 5}, None),
        ({}, None),
        ({"claims": [RATIO, {"id": "b", "kind": "budget", "text": "b", "of": "app", "at_least": "1/s"}]}, None),
        ({"claims": [RATIO], "load": {"kind": "fixed", "requests": 100}}, None),
        ({"claims": [RATIO | {"of": "app at 1", "to": "app at 2"}], "sweep": SWEEP}, DEFAULT),
        ({"claims": [{"id": "s", "kind": "shape", "text": "s", "of": "app", "shape": "rises"}], "sweep": SWEEP}, None),
        ({"claims": [RATIO], "contenders": {"app": DIRECTORY, "other": {"url": "http://127.0.0.1:1"}}}, None),
        ({"claims": [RATIO], "slices": {"seconds": 0.2}}, Slices(seconds=0.2)),
        ({"claims": [RATIO], "whole_windows": True}, None),
        ({"claims": [RATIO], **of_many(MOST_TOGETHER)}, DEFAULT),
        ({"claims": [RATIO], **of_many(MOST_TOGETHER + 1)}, None),
    ],
)
def test_a_plan_that_adds_blocks_is_in_slices_where_its_claims_compare(
    more: dict[str, Any], expected: Slices | None
) -> None:
    plan, chosen = (planned_contender(DIRECTORY, may_slice=each, **(BOTH | more)) for each in (False, True))
    assert chosen.experiment.slices == expected
    assert chosen.experiment.slices == plan.experiment.slices or plan.experiment.slices is None
    assert all(each.point.experiment.slices == expected for each in chosen.conditions)
    assert chosen.looks == plan.looks
