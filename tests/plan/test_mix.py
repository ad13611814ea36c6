"""A plan over parts of a mix: each condition has the requests, the clauses and the rows of its own part."""

from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.experiment.model import Experiment
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan, PlannedCondition
from tests.plan.plans import FILE, a_stack, planned

WORKLOAD = """
[rows.items]
file = "items.csv"
[setup.login]
post = "/login"
take.token = "/token"
[requests.list]
get = "/"
[requests.look]
get = "/items/{{row items id}}"
[requests.make]
journey = "buy"
post = "/carts"
headers = { authorization = "{{var token}}" }
take.cart = "/id"
[requests.pay]
journey = "buy"
post = "/carts/{{var cart}}"
[audit.carts]
command = ["./count.sh"]
equals = "{{acknowledged make}}"
"""
CLAIM = {"kind": "budget", "id": "x", "text": "x", "metric": "response_time_p99", "at_most": "1 s", "request": "look"}


def planned_on_file(folder: Path, **more: Any) -> Plan:
    (folder / "shop.toml").write_text(WORKLOAD)
    (folder / "items.csv").write_text("id\n7\n")
    (folder / "count.sh").touch()
    keys = {"name": "x", "title": "x", "workload": "shop.toml", "stacks": ["mine"], "load": {"kind": "closed"}}
    stack = a_stack("mine", workloads=[], services=["none"])
    return make_plan(Experiment.model_validate(keys | more), {"mine": stack}, folder / "x.toml")


def parts(condition: PlannedCondition) -> tuple[list[str], list[str], list[str], list[str]]:
    """The names of its requests, clauses, rows and audits."""
    point, workload = condition.point, condition.point.workload
    assert isinstance(workload, ServerWorkload)
    requests = [each.name for each in workload.requests(point.data, point.options)]
    clauses = [each.name for each in workload.clauses]
    return requests, clauses, list(workload.given_rows), list(workload.state.audits)


def test_each_condition_has_its_part(tmp_path: Path) -> None:
    sweep = {"parameter": "requests", "values": ["all", "look", "without-buy"]}
    by_label = {each.label: each for each in planned_on_file(tmp_path, sweep=sweep).conditions}
    assert {label: parts(each) for label, each in by_label.items()} == {
        "mine at all": (["list", "look", "make", "pay"], ["list", "look", "buy"], ["items"], ["carts"]),
        "mine at look": (["look"], ["look"], ["items"], ["carts"]),
        "mine at without-buy": (["list", "look"], ["list", "look"], ["items"], ["carts"]),
    }
    workloads = [each.point.workload for each in by_label.values()]
    assert all(isinstance(each, ServerWorkload) and each.set_up is not None for each in workloads), "all log in"
    assert [getattr(each, "journeys", None) for each in workloads] == [["buy"], [], []]


def test_one_part_can_be_all_that_an_experiment_sends(tmp_path: Path) -> None:
    plan = planned_on_file(tmp_path, requests="buy")
    (condition,) = plan.conditions
    assert parts(condition) == (["make", "pay"], ["buy"], [], ["carts"])
    assert (condition.label, condition.recorded.workload) == ("mine", "shop.toml (buy)")
    assert plan.workload.identity is not None and list(plan.workload.identity.requests) == ["make", "pay"]


def test_the_mix_is_a_factor(tmp_path: Path) -> None:
    factors = {"list": {"setting": "requests", "values": ["all", "without-list"]}}
    plan = planned_on_file(tmp_path, why={"from": "mine", "factors": factors})
    assert [parts(each)[0] for each in plan.conditions] == [["list", "look", "make", "pay"], ["look", "make", "pay"]]
    assert plan.experiment.why is not None
    assert plan.experiment.why.changes == {"list": "requests all to without-list"}


@pytest.mark.parametrize(
    "more",
    [
        {"sweep": {"parameter": "requests", "values": ["all", "without-lok"]}},
        {"requests": "pay"},
        {
            "sweep": {"parameter": "requests", "values": ["all", "list"]},
            "claims": [{**CLAIM, "of": "mine at list"}],
        },
    ],
)
def test_what_is_not_sent_is_refused_with_the_file_s_name(
    more: dict[str, Any], tmp_path: Path, snapshot: object
) -> None:
    with pytest.raises(Problem) as refused:
        planned_on_file(tmp_path, **more)
    assert (refused.value.reason.replace(f"{tmp_path}/", ""), refused.value.remedy) == snapshot


def test_a_claim_is_of_a_request_where_it_is_sent(tmp_path: Path) -> None:
    sweep = {"parameter": "requests", "values": ["all", "list"]}
    assert planned_on_file(tmp_path, sweep=sweep, claims=[{**CLAIM, "of": "mine at all"}]).experiment.claims


@pytest.mark.parametrize(
    "more",
    [
        {"requests": "random-item"},
        {"workload": "call-batch", "stacks": ["batch"], "service": "none", "load": {"kind": "program"}},
    ],
)
def test_the_mix_of_the_lab_s_own_workloads_stays(more: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        planned(**{"requests": "short", **more})
    assert refused.value.reason.startswith(f"{FILE}: ")
    assert (refused.value.reason, refused.value.remedy) == snapshot
