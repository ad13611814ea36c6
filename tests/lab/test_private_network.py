"""When a run is in a network of its own without a stack that asks for one."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from fairtrial.catalog.services import services
from fairtrial.experiment.model import Experiment
from fairtrial.lab.private_network import network_of
from fairtrial.plan.plan import Plan
from tests.machine.needs import needs
from tests.plan.plans import a_stack

pytestmark = [
    needs("network-namespace"),
    pytest.mark.usefixtures("engine"),
]


def in_own_network(
    service: str, cache: str | None = None, identity: object = None, url_from: str = "", **stack: Any
) -> bool:
    """Of a run with one condition."""
    experiment = {"name": "x", "title": "x", "workload": "redirect", "stacks": ["s"], "load": {"kind": "closed"}}
    if url_from:
        experiment["services"] = {url_from: {"url_from": "SOME_URL"}}
    contender = a_stack("s", **stack)
    point = SimpleNamespace(experiment=Experiment.model_validate(experiment))
    condition = SimpleNamespace(stack=contender, service=services()[service], point=point)
    cache_service = None if cache is None else services()[cache]
    plan = SimpleNamespace(conditions=[condition], cache=cache_service, workload=SimpleNamespace(identity=identity))
    plan.beyond_reach = vars(Plan)["beyond_reach"].fget(plan)
    with network_of(cast("Plan", plan), [contender]) as yes:
        return yes


def test_a_memcached_that_anybody_could_reach_is_put_out_of_reach() -> None:
    assert in_own_network("memcached")
    assert in_own_network("postgresql", cache="memcached")


@pytest.mark.parametrize("service", ["redis", "mongodb", "postgresql", "none"])
def test_a_service_with_a_password_needs_no_network(service: str) -> None:
    assert not in_own_network(service)
    assert in_own_network(service, network="own")


def test_what_needs_the_network_of_the_machine_keeps_it() -> None:
    assert not in_own_network("memcached", url="http://127.0.0.1:80")
    assert not in_own_network("memcached", image="hello", container_port=80)
    assert not in_own_network("memcached", url_from="memcached")
    assert not in_own_network("postgresql", cache="memcached", url_from="postgresql")
    assert not in_own_network("memcached", identity=SimpleNamespace()), "a service of one's own may call others"
