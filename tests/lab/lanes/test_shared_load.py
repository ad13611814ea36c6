"""Which loads several hosts can share, told before anything starts."""

from collections.abc import Mapping
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import read_stack
from fairtrial.experiment.model import Experiment
from fairtrial.lab.lanes.shared_load import assert_shared
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
    ("load", "words"),
    [
        ({"connections": 2}, "2 connections are too few for 3 load hosts"),
        ({"connections": 1}, "1 connection is too few"),
        ({"threads": 4}, "threads = 4 cannot be shared by 3 load hosts"),
        ({"threads": 9}, "threads = 9 cannot be shared by 3 load hosts with 2 processors each"),
    ],
)
def test_what_they_cannot(lab: Lab, load: Mapping[str, Any], words: str) -> None:
    with pytest.raises(Problem, match=f"shared.toml: {words}") as refused:
        assert_shared(planned(lab, CLOSED | load), "shared.toml", 3, 2)
    assert "use one load host: leave out --load-hosts" in refused.value.remedy
