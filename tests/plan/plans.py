"""Plans for tests: stacks that are never started, and an experiment over them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.experiment.model import Experiment
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan

FILE = Path("mine.toml")


def a_stack(name: str, folder: Path = Path("/nowhere"), **more: Any) -> Stack:
    """A stack of random-item on SQLite and PostgreSQL."""
    facts = dict.fromkeys(("title", "language", "framework", "server", "concurrency"), "x")
    manifest = {"workloads": ["random-item"], "services": ["sqlite", "postgresql"], "run": ["true"]}
    return Stack.model_validate({"name": name, "folder": folder, **facts, **manifest, **more})


STACKS = {
    "a": a_stack("a", variants={"two": Variant(env={"WORKERS": "2"})}),
    "b": a_stack("b"),
    "batch": a_stack("batch", kind="program", workloads=["call-batch"], services=["none"]),
}


def planned(**more: Any) -> Plan:
    """A plan over the stacks a and b; `more` are keys of the experiment's file."""
    file = {"name": "x", "title": "x", "workload": "random-item", "service": "sqlite", "stacks": ["a", "b"]}
    load = {"load": {"kind": "closed", "connections": 2}}
    return make_plan(Experiment.model_validate(file | load | more), STACKS, FILE)


def planned_contender(described: dict[str, Any], *, may_slice: bool = False, **more: Any) -> Plan:
    """A plan of `plaintext` over one contender that the experiment describes itself."""
    file = {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["app"], "load": {"kind": "closed"}}
    experiment = Experiment.model_validate(file | {"contenders": {"app": described}} | more)
    return make_plan(experiment, with_contenders({}, experiment, Path("/nowhere"), {}), FILE, may_slice=may_slice)


def without_spare(plan: Plan) -> Plan:
    """The plan up to the block with which it ends where the machine spoils none."""
    return replace(plan, blocks=plan.blocks[: plan.possible_ends[0]], spare_blocks=0)
