"""What can be on a host of its own, told before anything starts."""

from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import read_stack
from fairtrial.experiment.model import Experiment
from fairtrial.lab.lanes.refusals import assert_separable, separate_roles
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from tests.command_line import Lab

EXPERIMENT = {"name": "apart", "title": "A test", "stacks": ["one"], "load": {"kind": "closed", "connections": 16}}
ADDRESS = {"port": 5432, "user": "benchmarkdbuser", "password": "benchmarkdbpass", "database": "hello_world"}


def planned(lab: Lab, service: str, workload: str = "random-item", **more: Any) -> Plan:
    lab.stack("one", service=service, workload=workload)
    stacks = {"one": read_stack(lab.stacks / "one", "one")}
    described = EXPERIMENT | {"service": service, "workload": workload} | more
    return make_plan(Experiment.model_validate(described), stacks, "apart.toml")


@pytest.mark.parametrize("service", ["postgresql", "mariadb", "mongodb"])
def test_servers_that_ask_for_a_password(lab: Lab, service: str) -> None:
    plan = planned(lab, service)
    assert separate_roles(plan) == ["service"]
    assert_separable(plan, "apart.toml", ["service"])


def test_a_file_in_the_stack_and_somebody_elses_server_need_no_host(lab: Lab) -> None:
    plan = planned(lab, "sqlite")
    assert separate_roles(plan) == []
    assert_separable(plan, "apart.toml", ["service"])
    external = {"services": {"postgresql": {"url_from": "MY_URL"}}}
    lab.stacks = lab.folder / "others"
    lab.stacks.mkdir()
    assert separate_roles(planned(lab, "postgresql", **external)) == []


@pytest.mark.parametrize(
    ("service", "workload", "more", "words"),
    [
        ("memcached", "redirect", {}, "memcached asks for no password"),
        ("postgresql", "random-item", {"services": {"postgresql": {"address": ADDRESS}}}, "one of the server's host"),
    ],
)
def test_what_is_refused(lab: Lab, service: str, workload: str, more: dict[str, Any], words: str) -> None:
    plan = planned(lab, service, workload, **more)
    assert separate_roles(plan) == ["service"]
    with pytest.raises(Problem, match=r"apart\.toml: ") as refused:
        assert_separable(plan, "apart.toml", ["service"])
    assert words in refused.value.reason and "no worker the role service" in refused.value.remedy


def test_a_balancer_has_a_role_of_its_own(lab: Lab) -> None:
    assert separate_roles(planned(lab, "sqlite", balancer="nginx", instances=2)) == ["balancer"]


def test_slices_are_measured_on_one_machine(lab: Lab) -> None:
    plan = planned(lab, "none", "plaintext", slices={}, balancer="nginx", instances=2)
    assert_separable(plan, "apart.toml", [])
    with pytest.raises(Problem, match=r"apart\.toml: \[slices\] .* for balancer"):
        assert_separable(plan, "apart.toml", ["balancer"])
