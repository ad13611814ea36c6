"""The variants in which factors are switched: what each changes, and what cannot be switched apart."""

from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.model import Checkout, Stack, Variant
from fairtrial.catalog.stacks.switched import with_switched
from fairtrial.experiment.model import Experiment

POOL, LOG = {"env": {"DB_POOL": "16"}}, {"variant": "log"}


def a_stack(**more: Any) -> Stack:
    keys = {"name": "a", "folder": Path(), "title": "a", "services": ["none"], "run": ["a"], "build": [["make"]]}
    usual = {"DB_POOL": "1", "KEPT": "1"}
    variants = {
        "default": {"env": usual},
        "log": {"env": usual | {"LOG": "1"}},
        "fast": {"env": usual, "args": ["--fast"]},
        "faster": {"env": usual, "args": ["--faster"]},
        "small": {"env": {"DB_POOL": "1"}, "class": "engine"},
        "replica": {"env": usual, "args": ["--old"], "class": "replica"},
        "renamed": {"env": usual, "class": "replica"},
    }
    return Stack.model_validate(keys | {"variants": variants} | more)


def variant(stack: Stack, name: str, factors: dict[str, Any], start: str = "a") -> Variant:
    return switched(stack, factors, start).variants[name]


def switched(stack: Stack, factors: dict[str, Any], start: str = "a") -> Stack:
    file = {"name": "x", "title": "x", "workload": "plaintext", "load": {"kind": "closed"}}
    experiment = Experiment.model_validate(file | {"why": {"from": start, "factors": factors}})
    return with_switched({"a": stack}, experiment)["a"]


def test_each_factor_changes_its_own_and_nothing_else() -> None:
    stack = a_stack()
    factors = {"pool": POOL, "log": LOG, "speed": {"variant": "fast"}}
    assert variant(stack, "with-pool", factors).env == {"DB_POOL": "16", "KEPT": "1"}
    assert variant(stack, "with-log", factors).env == {"DB_POOL": "1", "KEPT": "1", "LOG": "1"}
    whole = variant(stack, "with-pool-and-log-and-speed", factors)
    assert (whole.env, whole.args) == ({"DB_POOL": "16", "KEPT": "1", "LOG": "1"}, ["--fast"])
    assert len(switched(stack, factors).variants) == len(stack.variants) + 7
    assert switched(stack, factors).build_name(None) == "a", "all share one build"


def test_it_starts_from_a_variant() -> None:
    assert variant(a_stack(), "with-pool", {"pool": POOL}, "a:fast").args == ["--fast"]


def test_a_variable_that_a_variant_lacks_is_switched_off() -> None:
    factors = {"kept": {"variant": "small"}, "pool": POOL}
    assert variant(a_stack(), "with-kept", factors).env == {"DB_POOL": "1"}
    assert variant(a_stack(), "with-kept-and-pool", factors).env == {"DB_POOL": "16"}
    assert variant(a_stack(), "with-pool", factors).env == {"DB_POOL": "16", "KEPT": "1"}


def test_classes_stand_in_nobodys_way_and_the_last_is_kept() -> None:
    factors = {"kept": {"variant": "small"}, "old": {"variant": "replica"}, "pool": POOL}
    assert variant(a_stack(), "with-kept-and-pool", factors).stack_class == "engine"
    assert variant(a_stack(), "with-kept-and-old", factors).stack_class == "replica"
    assert variant(a_stack(), "with-pool", factors).stack_class is None


@pytest.mark.parametrize(
    ("factor", "start"),
    [({"variant": "fast"}, "a:fast"), ({"variant": "renamed"}, "a"), ({"env": {"DB_POOL": "1"}}, "a")],
)
def test_what_switches_nothing_is_refused(factor: dict[str, Any], start: str) -> None:
    with pytest.raises(Problem, match=f"changes nothing of {start}"):
        switched(a_stack(), {"nothing": factor}, start)


@pytest.mark.parametrize(
    ("factors", "key"),
    [
        ({"one": {"variant": "fast"}, "other": {"variant": "faster"}}, "args"),
        ({"one": POOL, "other": {"env": {"DB_POOL": "4"}}}, "env.DB_POOL"),
    ],
)
def test_factors_that_change_the_same_are_refused(factors: dict[str, Any], key: str) -> None:
    with pytest.raises(Problem, match=f"other changes {key} of a"):
        switched(a_stack(), factors)


def test_a_variant_that_there_is_not_is_refused() -> None:
    with pytest.raises(Problem, match="no variant 'lag'"):
        switched(a_stack(), {"log": {"variant": "lag"}})


def test_what_runs_already_has_nothing_to_switch() -> None:
    running = a_stack(run=[], build=[], url="http://127.0.0.1:1", variants={})
    with pytest.raises(Problem, match="runs already"):
        switched(running, {"pool": POOL})


def test_a_commit_is_a_factor_and_what_is_built_from_one_stays_built_from_it() -> None:
    before, after = (Checkout(folder=Path(name), commit=name) for name in ("before", "after"))
    refs = {name: {"build": [["make"]]} for name in ("before", "after")}
    stack = a_stack(variants=refs).model_copy(update={"checkouts": {"before": before, "after": after}})
    factors = {"pool": POOL, "commit": {"variant": "after"}}
    sources = {name: each.commit for name, each in switched(stack, factors, "a:before").checkouts.items()}
    assert sources["with-pool"] == "before"
    assert sources["with-commit"] == sources["with-pool-and-commit"] == "after"
    with pytest.raises(Problem, match="changes nothing"):
        switched(stack, {"commit": {"variant": "before"}}, "a:before")
