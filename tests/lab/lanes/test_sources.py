"""What is sent to a lane's host: the folders of stacks and the plan, and nothing that is bound to this machine."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.cache.digest import folder_sha256
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks, read_stack
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.model import Experiment
from fairtrial.lab.lanes.sources import MOST_BYTES, SentFolder, assert_sendable, packed_stack, unpacked_stack
from fairtrial.lab.lanes.task import SentPlan, plan_of, sent_plan
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from tests.command_line import Lab

EXPERIMENT = {
    "name": "sent",
    "title": "A test",
    "workload": "random-item",
    "service": "sqlite",
    "stacks": ["one", "two"],
    "blocks": 4,
    "crash_audit": "all",
    "load": {"kind": "closed"},
}


@pytest.fixture
def stack(lab: Lab) -> Path:
    """A folder of a stack with a program, something that a build made, and a link."""
    folder = lab.stacks / lab.stack("one")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "made.js").write_text("made")
    (folder / "linked.sh").symlink_to("run.sh")
    return folder


def test_a_folder_arrives_as_it_is_without_what_builds_made(stack: Path, cache: Path) -> None:
    sent = pickle.loads(pickle.dumps(packed_stack(read_stack(stack, "one"))))
    there = unpacked_stack(sent)
    assert there.folder != stack and there.folder.is_relative_to(cache.resolve())
    assert folder_sha256(there.folder) == folder_sha256(stack)
    assert not (there.folder / "node_modules").exists()
    assert (there.folder / "run.sh").stat().st_mode & 0o111
    assert there.model_copy(update={"folder": stack}) == read_stack(stack, "one")


def test_a_shipped_stack_is_not_sent_and_must_be_the_same() -> None:
    sent = packed_stack(find_stacks()["node-http"])
    assert sent.folder.packed == b"" and unpacked_stack(sent) == find_stacks()["node-http"]
    other = sent.model_copy(update={"folder": sent.folder.model_copy(update={"sha256": "0" * 64})})
    with pytest.raises(Problem, match="is another one in"):
        unpacked_stack(other)


def test_what_does_not_arrive_whole_is_refused(stack: Path, cache: Path) -> None:
    sent = packed_stack(read_stack(stack, "one"))
    (stack / "run.sh").write_text("#!/bin/sh\nexit 1\n")
    changed = packed_stack(read_stack(stack, "one"))
    mixed = sent.folder.model_copy(update={"packed": changed.folder.packed, "sha256": "1" * 64})
    with pytest.raises(Problem, match="is another one in"):
        unpacked_stack(sent.model_copy(update={"folder": mixed}))


def test_what_is_bound_to_this_machine_is_refused(stack: Path) -> None:
    here = read_stack(stack, "one")
    for change, words in (
        ({"url": "http://127.0.0.1:1"}, "runs already"),
        ({"image": "nginx", "container_port": 80}, "runs in a container"),
        ({"directory": "."}, "is run where it lies"),
        ({"network": "own"}, "a network of its own"),
        ({"files": {"/etc/x": "x"}}, "finds files outside"),
    ):
        with pytest.raises(Problem, match=words):
            packed_stack(Stack.model_validate(here.model_dump(by_alias=True) | change))


def test_too_much_is_refused(stack: Path) -> None:
    sent = packed_stack(read_stack(stack, "one"))
    long = SentFolder(sha256="", packed=bytes(MOST_BYTES + 1))
    assert_sendable([sent])
    with pytest.raises(Problem, match="64 MiB"):
        assert_sendable([sent, sent.model_copy(update={"folder": long})])


def planned(lab: Lab, **more: Any) -> Plan:
    stacks = {name: read_stack(lab.stacks / lab.stack(name), name) for name in ("one", "two")}
    return make_plan(Experiment.model_validate(EXPERIMENT | more), stacks, "sent.toml")


def test_the_same_plan_is_made_there(lab: Lab, cache: Path) -> None:
    here = planned(lab)
    sent: SentPlan = pickle.loads(pickle.dumps(sent_plan(here, "sent.toml")))
    there = plan_of(sent)
    assert [(each.index, each.condition.recorded, each.crash_audit) for each in there.trials()] == [
        (each.index, each.condition.recorded, each.crash_audit) for each in here.trials()
    ]
    assert there.crash_audits == here.crash_audits != frozenset()
    assert there.hold_audits == here.hold_audits != frozenset()
    other = sent.model_copy(update={"order": sent.order[::-1][1:]})
    with pytest.raises(Problem, match="another plan"):
        plan_of(other)


def test_what_needs_one_machine_is_refused(lab: Lab) -> None:
    plan = planned(lab)
    shared = plan.experiment.model_copy(update={"placement": "shared"})
    object.__setattr__(plan, "experiment", shared)
    with pytest.raises(Problem, match="one machine alone") as refused:
        sent_plan(plan, "sent.toml")
    assert "without --cluster" in refused.value.remedy


def test_a_task_holds_no_secret_of_the_environment(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "hunter2")
    assert b"hunter2" not in pickle.dumps(sent_plan(planned(lab), "sent.toml"))
