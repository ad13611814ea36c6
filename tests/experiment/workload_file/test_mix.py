"""Parts of a mix: one request or journey, or all but one."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.workload_file.mix import part_of_mix
from fairtrial.experiment.workload_file.model import RequestEntry

MIX = {
    "list": {"get": "/"},
    "make": {"post": "/carts", "journey": "buy", "take": {"cart": "/id"}},
    "pay": {"post": "/carts/{{var cart}}", "journey": "buy"},
    "without-look": {"get": "/all"},
    "look": {"get": "/7"},
}


def part(of: dict[str, Any], name: str) -> list[str]:
    return list(part_of_mix({key: RequestEntry.model_validate(each) for key, each in of.items()}, name, "shop.toml"))


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("list", ["list"]),
        ("buy", ["make", "pay"]),
        ("without-buy", ["list", "without-look", "look"]),
        ("without-list", ["make", "pay", "without-look", "look"]),
        ("without-look", ["without-look"]),
        ("without-without-look", ["list", "make", "pay", "look"]),
    ],
)
def test_a_request_or_a_journey_is_sent_alone_or_left_out(name: str, names: list[str]) -> None:
    assert part(MIX, name) == names


@pytest.mark.parametrize(
    ("of", "name"),
    [
        (MIX, "lst"),
        (MIX, "without-lst"),
        (MIX, "without-"),
        (MIX, "pay"),
        (MIX, "without-pay"),
        ({"look": MIX["look"]}, "look"),
        ({"look": MIX["look"]}, "without-look"),
        ({"look": MIX["look"]}, "list"),
        ({"make": MIX["make"], "pay": MIX["pay"]}, "without-buy"),
    ],
)
def test_what_is_no_part_of_the_mix_is_refused(of: dict[str, Any], name: str, snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        part(of, name)
    assert (refused.value.reason, refused.value.remedy) == snapshot


@pytest.mark.parametrize(
    "more",
    [
        {"reference": "a", "requests": "look"},
        {"reference": "a", "sweep": {"parameter": "requests", "values": ["all", "without-look"]}},
        {"sweep": {"parameter": "requests", "values": [1, 2]}},
        {"requests": ""},
        {"requests": {"look": {"get": "/"}}},
    ],
)
def test_an_experiment_refuses_what_is_no_word_and_parts_beside_a_reference(
    more: dict[str, Any], snapshot: object
) -> None:
    keys = {"name": "x", "title": "x", "workload": "x.toml", "stacks": ["a", "b"], "load": {"kind": "closed"}}
    with pytest.raises(ValidationError) as refused:
        Experiment.model_validate(keys | more)
    assert [each["msg"] for each in refused.value.errors()] == snapshot
