"""Which stacks a run tries."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.model import Experiment
from fairtrial.plan.selection import select_stacks
from tests.plan.plans import a_stack

EXPERIMENT = Experiment.model_validate(
    {
        "name": "x",
        "title": "x",
        "workload": "random-item",
        "service": "sqlite",
        "stacks": ["a", "b"],
        "load": {"kind": "closed"},
        "claims": [{"kind": "ratio", "id": "c", "text": "c", "of": "a", "to": "b", "at_least": 2}],
    }
)


def test_without_options_an_experiment_tries_its_own() -> None:
    assert select_stacks(EXPERIMENT, {}, stack_names=[], stack_folders=[]) == (EXPERIMENT, [])


def test_named_stacks_are_tried_alone_and_once_and_claims_about_others_left_out() -> None:
    selected, left_out = select_stacks(EXPERIMENT, {}, stack_names=["b", "c:two@mariadb", "b"], stack_folders=[])
    assert [str(stack) for stack in selected.stacks] == ["b", "c:two@mariadb"]
    assert left_out == ["c"]


def test_a_malformed_name_is_refused() -> None:
    with pytest.raises(Problem, match="--stack B!"):
        select_stacks(EXPERIMENT, {}, stack_names=["B!"], stack_folders=[])


def test_fitting_stacks_of_own_folders_are_tried_beside_the_experiment_s(tmp_path: Path) -> None:
    mine = a_stack("mine", tmp_path / "mine", services=["sqlite"])
    unfit = a_stack("unfit", tmp_path / "unfit", services=["mariadb"])
    shipped = a_stack("other", Path("/elsewhere/other"))
    known = {stack.name: stack for stack in (mine, unfit, shipped)}
    selected, left_out = select_stacks(EXPERIMENT, known, stack_names=[], stack_folders=[tmp_path])
    assert [str(stack) for stack in selected.stacks] == ["a", "b", "mine"]
    assert left_out == []
    with pytest.raises(Problem, match="there are: unfit"):
        select_stacks(EXPERIMENT, {"unfit": unfit}, stack_names=[], stack_folders=[tmp_path / "unfit"])


def test_any_server_of_own_folders_is_tried_on_a_workload_file(tmp_path: Path) -> None:
    own = EXPERIMENT.model_copy(update={"workload": "shop.toml", "service": "none", "claims": []})
    mine = a_stack("mine", tmp_path / "mine", workloads=[], services=["none"])
    elsewhere = a_stack("elsewhere", tmp_path / "elsewhere", services=["sqlite"])
    job = a_stack("job", tmp_path / "job", kind="program", services=["none"])
    known = {stack.name: stack for stack in (mine, elsewhere, job)}
    selected, _ = select_stacks(own, known, stack_names=[], stack_folders=[tmp_path])
    assert [str(stack) for stack in selected.stacks] == ["a", "b", "mine"]
