"""Which loads several hosts can share, told before anything starts."""

from collections.abc import Mapping
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import read_stack
from fairtrial.experiment.model import Experiment
from fairtrial.lab.lanes.refusals import assert_shared
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from tests.command_line import Lab

EXPERIMENT = {"name": "shared", "title": "A test", "workload": "random-item", "service": "sqlite", "stacks": ["one"]}
CLOSED = {"kind": "closed", "connections": 16}


def planned(lab: Lab, load: Mapping[str, Any], **more: Any) -> Plan:
    folder = lab.stacks / "one"
    if not folder.exists():
        lab.stack("one")
    stacks = {"one": read_stack(folder, "one")}
    return make_plan(Experiment.model_validate(EXPERIMENT | {"load": load} | more), stacks, "shared.toml")


def test_what_several_can_share(lab: Lab) -> None:
    for load in (CLOSED, CLOSED | {"threads": 4}, {"kind": "open", "rate_per_second": 100, "connections": 3}):
        assert_shared(planned(lab, load), "shared.toml", 2, 2)
    assert_shared(planned(lab, CLOSED | {"connections": 1}), "shared.toml", 1, 1)


@pytest.mark.parametrize(
    ("load", "more"),
    [
        ({"connections": 2}, {}),
        ({"connections": 1}, {}),
        ({"threads": 4}, {}),
        ({"threads": 9}, {}),
        ({}, {"slices": {}}),
    ],
)
def test_what_they_cannot(lab: Lab, load: Mapping[str, Any], more: Mapping[str, Any], snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        assert_shared(planned(lab, CLOSED | load, **more), "shared.toml", 3, 2)
    assert str(refused.value) == snapshot
    assert refused.value.remedy == snapshot
