"""Loads over HTTP/2, held against what stacks say of themselves and what only HTTP/1.1 has."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.experiment.model import Experiment
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from tests.plan.plans import FILE, STACKS, a_stack, planned, planned_contender

LOAD = {"kind": "closed", "connections": 1, "http2": True, "streams": 4}
HELLO = {"requests": {"hello": {"get": "/"}}}


def over_http2(*stacks: Stack, of: str, **more: Any) -> Plan:
    file = {"name": "x", "title": "x", "workload": "random-item", "service": "sqlite", "stacks": [of], "load": LOAD}
    every = {**STACKS, **{stack.name: stack for stack in stacks}}
    return make_plan(Experiment.model_validate(file | more), every, FILE)


def test_a_stack_that_says_so_is_asked() -> None:
    plan = over_http2(a_stack("new", http2=True), of="new")
    assert plan.conditions[0].recorded.load.model_dump()["streams"] == 4


def test_a_variant_may_say_it_and_take_it_back() -> None:
    variants = {"on": Variant(http2=True), "off": Variant(http2=False), "neither": Variant()}
    old, new = a_stack("old", variants=variants), a_stack("new", http2=True, variants=variants)
    assert ["HTTP/2" in old.spoken_beside(each) for each in variants.values()] == [True, False, False]
    assert ["HTTP/2" in new.spoken_beside(each) for each in variants.values()] == [True, False, True]
    assert over_http2(old, of="old:on").conditions
    with pytest.raises(Problem, match="new:off does not say"):
        over_http2(new, of="new:off")


def test_one_that_does_not_is_refused_and_those_that_do_are_named(snapshot: object) -> None:
    new = a_stack("new", http2=True, variants={"off": Variant(http2=False)})
    with pytest.raises(Problem) as refused:
        over_http2(new, a_stack("old", variants={"on": Variant(http2=True)}), of="a")
    assert refused.value.reason == snapshot
    assert refused.value.remedy is not None
    assert refused.value.remedy == snapshot
    with pytest.raises(Problem, match=r"load\.http2: a does not"):
        planned(load={"kind": "closed"}, sweep={"parameter": "load.http2", "values": [False, True]})


def test_a_contender_says_it_in_the_experiment() -> None:
    described = {"directory": ".", "command": ["true"]}
    assert planned_contender({**described, "http2": True}, load=LOAD).conditions
    assert planned_contender({"url": "https://localhost:1", "http2": True}, load=LOAD).conditions
    with pytest.raises(Problem) as refused:
        planned_contender(described, load=LOAD)
    assert refused.value.remedy is not None and "in [contenders.app]" in refused.value.remedy


def test_what_has_a_manifest_says_it_there(snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        planned_contender({"folder": ".", "http2": True}, load=LOAD)
    assert [each["msg"] for each in error.value.errors()] == snapshot


@pytest.mark.parametrize(
    "more",
    [
        {"workload": HELLO, "reference": "app"},
        {"workload": {**HELLO, "setup": {"login": {"post": "/login", "per": "connection"}}}},
        {"workload": {"requests": {"hello": {"get": "/", "headers": {"TE": "gzip"}}}}},
    ],
)
def test_what_only_http1_has_is_refused_with_a_remedy(more: dict[str, Any], snapshot: object) -> None:
    described = {"directory": ".", "command": ["true"], "http2": True}
    with pytest.raises(Problem) as refused:
        planned_contender(described, load=LOAD, **more)
    assert refused.value.reason == snapshot and refused.value.remedy


def test_te_may_ask_for_trailers() -> None:
    described = {"directory": ".", "command": ["true"], "http2": True}
    asking = {"requests": {"hello": {"get": "/", "headers": {"TE": "trailers"}}}}
    assert planned_contender(described, load=LOAD, workload=asking).conditions


def test_shipped_stacks_of_several_languages_speak_it() -> None:
    speaking = {
        stack.language
        for stack in find_stacks().values()
        if any(stack.spoken_beside(variant) for variant in (Variant(), *stack.variants.values()))
    }
    assert speaking >= {"Go", "Rust"}


def test_what_is_loaded_over_http3_says_it_and_speaks_tls() -> None:
    over_http3 = {**LOAD, "http2": False, "http3": True}
    described = {"directory": ".", "command": ["true"], "tls": True}
    plan = planned_contender({**described, "http3": True}, load=over_http3)
    assert plan.conditions[0].stack.origin.is_secure
    with pytest.raises(Problem) as refused:
        planned_contender(described, load=over_http3)
    remedy = "set `tls = true` and `http3 = true` in [contenders.app]"
    assert refused.value.remedy is not None and remedy in refused.value.remedy
    with pytest.raises(Problem, match="app speaks TLS alone"):
        planned_contender(described, load={"kind": "closed"}, balancer="nginx")
