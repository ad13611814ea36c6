"""From an experiment to its plan: everything resolved once, and what does not fit refused with the file's name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.workloads import pick_workload
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.experiment.files import load_experiment, shipped_experiments
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.stack_class import StackClass
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from tests.builders.experiment import conditions_of
from tests.plan.plans import FILE, STACKS, a_stack, planned, planned_contender, without_spare


def test_conditions_hold_what_they_name() -> None:
    plan = planned(stacks=["a:two@postgresql", "b"], sweep={"parameter": "load.connections", "values": [1, 3]})
    assert plan.workload is pick_workload("random-item")
    assert [point.value for point in plan.points] == [1, 3]
    first = plan.conditions[0]
    assert (first.stack, first.variant) == (STACKS["a"], STACKS["a"].variants["two"])
    assert first.service is pick_service("postgresql")
    assert first.point is plan.points[0]
    assert first.load.model_dump()["connections"] == 1
    assert plan.conditions[2].service is pick_service("sqlite")
    assert [condition.label for condition in plan.conditions] == [
        "a:two@postgresql at 1",
        "a:two@postgresql at 3",
        "b at 1",
        "b at 3",
    ]


def test_every_block_holds_every_condition_once() -> None:
    plan = planned(blocks=4, noise_floor=True)
    assert [len(block) for block in plan.blocks] == [3] * (4 + plan.spare_blocks)
    assert all({id(condition) for condition in block} == set(map(id, plan.conditions)) for block in plan.blocks)


def test_the_second_of_a_pair_of_equals_is_another_condition_on_the_same_things() -> None:
    first, _, again = planned(noise_floor=True).conditions
    assert again.recorded.again and not first.recorded.again
    assert (again.stack, again.variant, again.service, again.point) == (
        first.stack,
        first.variant,
        first.service,
        first.point,
    )
    assert again.recorded.id == f"{first.recorded.id}/again"


def test_trials_are_numbered_in_order_and_take_the_builds_in_turn() -> None:
    plan = without_spare(planned(blocks=3, builds=2))
    trials = list(plan.trials())
    assert [trial.index for trial in trials] == list(range(1, 7))
    assert [(trial.block, trial.build) for trial in trials] == [(1, 1), (1, 1), (2, 2), (2, 2), (3, 1), (3, 1)]
    assert [trial.condition for trial in trials] == [condition for block in plan.blocks for condition in block]


def test_a_plan_until_claims_are_decided_has_looks_and_more_blocks() -> None:
    claim = {"kind": "ratio", "id": "c", "text": "c", "of": "a", "to": "b", "at_least": 2}
    plan = planned(claims=[claim])
    assert (plan.looks[0], plan.within_seconds) == (5, 600)
    assert planned(claims=[claim], minutes=0.5).within_seconds == 30
    assert len(plan.blocks) == plan.looks[-1] == 200
    assert plan.trials_until_first_end == 10
    for without_looks in (planned(blocks=5, claims=[claim]), planned()):
        assert (without_looks.looks, without_looks.trials_until_first_end) == ([], 10)
        assert without_looks.within_seconds is None


@pytest.mark.parametrize(("blocks", "spare"), [(1, 1), (5, 1), (6, 2), (16, 4), (20, 4)])
def test_a_plan_of_a_fixed_number_of_blocks_has_spare_ones(blocks: int, spare: int) -> None:
    """They are drawn behind the others, whose order stays what it was."""
    plan = planned(blocks=blocks)
    assert (plan.spare_blocks, len(plan.blocks)) == (spare, blocks + spare)
    assert plan.possible_ends == list(range(blocks, blocks + spare + 1))
    assert [trial.block for trial in plan.trials()][: plan.trials_until_first_end][-1] == blocks
    assert [[each.label for each in block] for block in plan.blocks[:blocks]] == [
        [each.label for each in block] for block in planned(blocks=blocks + 10).blocks[:blocks]
    ]


@pytest.mark.parametrize("name", sorted(shipped_experiments()))
def test_every_shipped_experiment_has_a_plan_whose_conditions_are_those_of_its_record(name: str) -> None:
    experiment = load_experiment(shipped_experiments()[name])
    plan = make_plan(experiment, find_stacks(), name)
    stacks = {stack.name: stack for stack in plan.stacks}

    def class_of(reference: StackRef) -> StackClass:
        stack = stacks[reference.name]
        return stack.class_of(stack.variant(reference))

    assert [condition.recorded for condition in plan.conditions] == conditions_of(experiment, class_of)
    assert len({condition.recorded.id for condition in plan.conditions}) == len(plan.conditions)


@pytest.mark.parametrize(
    "more",
    [
        {"workload": "random-items"},
        {"service": "mysql"},
        {"service": "redis"},
        {"stacks": ["c"]},
        {"stacks": ["a:three"]},
        {"stacks": ["b@mariadb"]},
        {"stacks": ["batch"]},
        {"cache": "redis"},
        {"load": {"kind": "program"}},
        {"stacks": ["a:two"], "env": {"WORKERS": "3"}},
        {"instances": 17, "balancer": "nginx"},
        {"service": "postgresql", "concurrency_budget": 401},
        {"balancer": "envoy"},
        {"services": {"sqlite": {"variant": "fast"}}},
        {"services": {"sqlite": {"url_from": "URL"}}},
        {"services": {"sqlite": {"latency": "1 ms"}}},
        {"sweep": {"parameter": "services.sqlite.latency", "values": ["0ms", "1ms"]}},
        {"options": {"colour": 1}},
        {"checks": {"errors": {"shares": 1}}},
    ],
)
def test_what_does_not_fit_is_refused_with_the_file_s_name(more: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(Problem) as refused:
        planned(**more)
    assert refused.value.reason == snapshot


def test_a_workload_file_is_found_beside_the_experiment_and_in_further_folders(tmp_path: Path) -> None:
    beside, elsewhere = tmp_path / "beside", tmp_path / "elsewhere"
    for folder, path in ((beside, "/a"), (elsewhere, "/b")):
        folder.mkdir()
        (folder / "shop.toml").write_text(f'[requests.look]\nget = "{path}"\n')
    stack = a_stack("mine", workloads=[], services=["none", "postgresql"])

    def planned_on(file: Path, *folders: Path, **more: Any) -> Plan:
        keys = {"name": "x", "title": "x", "workload": "shop.toml", "stacks": ["mine"], "load": {"kind": "closed"}}
        return make_plan(Experiment.model_validate(keys | more), {"mine": stack}, file, workloads=folders)

    def paths(plan: Plan) -> list[str]:
        assert isinstance(plan.workload, ServerWorkload)
        point = plan.points[0]
        return [request.path for request in plan.workload.requests(point.data, point.options)]

    assert paths(planned_on(beside / "x.toml", elsewhere)) == ["/a"]
    plan = planned_on(tmp_path / "x.toml", elsewhere, service="postgresql")
    assert paths(plan) == ["/b"]
    (recorded,) = [condition.recorded for condition in plan.conditions]
    assert (recorded.workload, recorded.id) == ("shop.toml", "mine/default/shop.toml/postgresql")
    below = planned_on(tmp_path / "x.toml", workload="beside/shop.toml")
    assert paths(below) == ["/a"] and below.conditions[0].recorded.workload == "shop.toml"
    budget = {"id": "c", "text": "c", "kind": "budget", "of": "mine", "at_least": "1/s"}
    assert planned_on(beside / "x.toml", claims=[budget | {"request": "look"}]).experiment.claims
    for more, reason in (
        ({"workload": "other.toml"}, f"there is no workload file other.toml in {beside}"),
        ({"service": "nginx"}, "there is no service 'nginx'"),
        ({"service": "sqlite"}, "stack mine does not implement workload shop.toml on sqlite"),
        ({"options": {"x": 1}}, "[options] x"),
        ({"cache": "redis"}, "workload shop.toml has no cache"),
        ({"load": {"kind": "program"}}, "workload shop.toml is asked of servers"),
        ({"claims": [budget | {"request": "lok"}]}, "sends no 'lok' (did you mean look?)"),
    ):
        with pytest.raises(Problem) as refused:
            planned_on(beside / "x.toml", **more)
        assert refused.value.reason.startswith(f"{beside / 'x.toml'}: ") and reason in refused.value.reason


def mixed(sweep: Sequence[int] = (), **claim: Any) -> Plan:
    """A plan of query-mix, over these numbers of short queries for each long one, with a claim about one request."""
    stack = a_stack("mixed", workloads=["query-mix"], services=["postgresql"])
    file = {"name": "x", "title": "x", "workload": "query-mix", "service": "postgresql", "stacks": ["mixed"]}
    more: dict[str, Any] = {"load": {"kind": "closed", "connections": 2}, "claims": [{"id": "c", "text": "c"} | claim]}
    if sweep:
        more["sweep"] = {"parameter": "options.short_per_long", "values": sweep}
    return make_plan(Experiment.model_validate(file | more), {"mixed": stack}, FILE)


def test_a_claim_about_a_request_that_the_workload_does_not_send_is_refused(snapshot: object) -> None:
    budget = {"kind": "budget", "of": "mixed", "at_least": "1/s", "request": "long"}
    assert mixed(**budget).experiment.claims
    assert mixed([0, 10], **budget | {"of": "mixed at 10"}).experiment.claims
    with pytest.raises(Problem) as error:
        mixed(**budget | {"request": "lng"})
    assert str(error.value) == snapshot
    with pytest.raises(Problem) as error:
        mixed([0, 10], **budget | {"of": "mixed at 0"})
    assert str(error.value) == snapshot
    with pytest.raises(Problem) as error:
        mixed([0, 10], kind="shape", of="mixed", shape="rises", request="long")
    assert str(error.value) == snapshot


def test_a_job_has_no_requests_to_claim_about(snapshot: object) -> None:
    claim = {"kind": "budget", "id": "c", "text": "c", "of": "batch", "request": "call", "at_least": "1/s"}
    job = {"workload": "call-batch", "service": "none", "stacks": ["batch"], "load": {"kind": "program"}}
    with pytest.raises(Problem) as error:
        planned(claims=[claim], **job)
    assert str(error.value) == snapshot


def test_a_time_for_claims_that_are_not_there_is_refused(snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        planned(minutes=1)
    assert str(error.value) == snapshot


URL = {"url": "http://127.0.0.1:8080"}
IMAGE = {"image": "shop", "container_port": 80}
ON_HOST = {"image": "shop", "container_network": "host"}


@pytest.mark.parametrize(
    ("described", "more"),
    [
        (URL, {"instances": 2, "balancer": "nginx"}),
        (URL, {"balancer": "nginx"}),
        (URL, {"env": {"DB_POOL": "4"}}),
        (URL, {"sweep": {"parameter": "env.DB_POOL", "values": [1, 2]}}),
        (URL, {"workload": "random-item", "service": "sqlite"}),
        (URL, {"workload": "fan-out"}),
        (IMAGE, {"workload": "random-item", "service": "postgresql"}),
        (IMAGE, {"workload": "fan-out"}),
        (ON_HOST, {"workload": "random-item", "service": "sqlite"}),
        ({"directory": ".", "command": ["a"], "port": 8080}, {"instances": 2, "balancer": "nginx"}),
    ],
)
def test_what_a_contender_cannot_be_told_is_refused(
    described: dict[str, Any], more: dict[str, Any], snapshot: object
) -> None:
    with pytest.raises(Problem) as problem:
        planned_contender(described, **more)
    assert problem.value.reason == snapshot
    assert problem.value.remedy


def test_a_server_that_runs_already_may_use_a_service_that_does_too() -> None:
    database = {"services": {"postgresql": {"url_from": "SHOP_DATABASE"}}}
    plan = planned_contender(URL, workload="random-item", service="postgresql", **database)
    assert plan.conditions[0].stack.origin.kind == "url"


INLINE: dict[str, Any] = {
    "ready": {"path": "/up"},
    "rows": {"items": {"file": "items.csv"}},
    "requests": {
        "look": {
            "get": "/items/{{row items id}}",
            "expect": {"json": {"/id": "{{row items id}}"}, "matches": {"/a": "b"}},
        }
    },
}


def inline(folder: Path, workload: dict[str, Any], **more: Any) -> Plan:
    file = {"name": "mine", "title": "x", "workload": workload, "stacks": ["app"], "load": {"kind": "closed"}}
    app = {"contenders": {"app": {"url": "http://127.0.0.1:1"}}}
    experiment = Experiment.model_validate(file | app | more)
    assert Experiment.model_validate_json(experiment.model_dump_json()) == experiment
    return make_plan(experiment, with_contenders({}, experiment, folder, {}), folder / "mine.toml")


def test_a_workload_may_stand_in_the_experiment(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("id\n1\n")
    plan = inline(tmp_path, INLINE, sweep={"parameter": "load.connections", "values": [1, 2]})
    workload = plan.points[1].workload
    assert isinstance(workload, ServerWorkload) and workload.identity is not None
    assert workload.name == workload.identity.name == plan.experiment.workload_name == "mine.toml"
    assert [request.name for request in workload.requests(plan.points[1].data, None)] == ["look"]
    assert plan.experiment.model_dump()["workload"] == INLINE
    before = workload.identity.sha256
    assert inline(tmp_path, INLINE, blocks=9).workload.identity.sha256 == before
    (tmp_path / "items.csv").write_text("id\n2\n")
    assert inline(tmp_path, INLINE).workload.identity.sha256 != before


def test_what_is_wrong_with_an_inline_workload_names_its_key(tmp_path: Path, snapshot: object) -> None:
    look = {"get": "/", "headers": {"x": "{{env NOT_SET}}"}, "expect": {"matches": {"/a": "("}}}
    with pytest.raises(Problem, match=r"mine.toml: workload.requests.look.expect.matches: /a: "):
        inline(tmp_path, {"requests": {"look": look}})
    with pytest.raises(Problem, match=r"mine.toml: workload.requests.look.headers.x: the variable NOT_SET"):
        inline(tmp_path, {"requests": {"look": {**look, "expect": {}}}})
    file = tmp_path / "mine.toml"
    file.write_text("name = 'mine'\ntitle = 'x'\nstacks = ['a']\n[workload.requests.look]\ngett = '/'\n")
    with pytest.raises(Problem) as error:
        load_experiment(file)
    assert str(error.value) == snapshot


def test_an_objective_of_a_request_that_is_not_sent_is_refused(tmp_path: Path, snapshot: object) -> None:
    (tmp_path / "items.csv").write_text("id\n1\n")

    def planned(request: str) -> Plan:
        objective = {"name": "quick", "within_milliseconds": 50, "request": request}
        return inline(tmp_path, INLINE, load={"kind": "capacity", "objectives": [objective]})

    (name, *_) = INLINE["requests"]
    assert planned(name).experiment.load.describe() == snapshot
    with pytest.raises(Problem) as refused:
        planned("nothing")
    assert str(refused.value) == snapshot
    assert name in refused.value.reason
