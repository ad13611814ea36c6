"""Stacks in folders: found, or refused with the folder's name."""

from pathlib import Path

import pytest

from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import shares, stack_settings
from fairtrial.catalog.stacks.find import find_stacks, pick_stack
from fairtrial.experiment.reference import StackRef

MANIFEST = """
title = "A stack"
language = "Python"
framework = "none"
server = "none"
concurrency = "none"
workloads = ["random-item"]
services = ["sqlite"]
run = ["python3", "server.py"]
[variants.fast]
env = { SPEED = "1" }
"""

REQUIRES = """
[[variants.fast.requires]]
command = ["cc", "--version"]
remedy = "install a compiler"
"""


def stack(folder: Path, manifest: str = MANIFEST) -> Path:
    folder.mkdir(parents=True)
    (folder / "stack.toml").write_text(manifest)
    return folder


def test_a_folder_of_stacks_and_a_stack_s_own_folder(tmp_path: Path) -> None:
    one, other = stack(tmp_path / "many" / "one"), stack(tmp_path / "other")
    stacks = find_stacks([tmp_path / "many", other])
    assert {stacks["one"].folder, stacks["other"].folder} == {one.resolve(), other.resolve()}
    assert "python-threads" in stacks, "the shipped ones are there as well"


def test_a_stack_that_is_named_twice_is_one() -> None:
    folder = shipped("stacks") / "python-threads"
    assert find_stacks([folder]).keys() == find_stacks().keys()


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: None,
        lambda folder: folder.mkdir(),
        lambda folder: stack(folder / "python-threads"),
        lambda folder: stack(folder / "x", MANIFEST.replace("run =", "ran =")),
        lambda folder: stack(folder / "x", MANIFEST + "\nname = 'y'"),
        lambda folder: stack(folder / "x", MANIFEST + "build = [[]]"),
        lambda folder: stack(folder / "x", MANIFEST + "biuld = [['make']]"),
        lambda folder: stack(folder / "x", MANIFEST + '[variants."../x"]'),
        lambda folder: stack(folder / "x", MANIFEST.replace("A stack", "x" * 301)),
        lambda folder: stack(folder / "x", MANIFEST + REQUIRES),
        lambda folder: stack(folder / "x", "licence = 'Apache 2.0'" + MANIFEST),
    ],
)
def test_what_is_not_a_stack_is_told(tmp_path: Path, make: object, snapshot: object) -> None:
    assert callable(make)
    make(tmp_path / "mine")
    with pytest.raises(Problem) as problem:
        find_stacks([tmp_path / "mine"])
    assert problem.value.reason.replace(str(shipped("stacks")), "STACKS") == snapshot
    assert str(tmp_path / "mine") in problem.value.reason
    assert problem.value.remedy


@pytest.mark.parametrize("licence", ["", "MIT", "GPL-2.0-only WITH Classpath-exception-2.0", "(MIT OR Ruby) AND 0BSD"])
def test_a_licence_is_an_spdx_expression(licence: str, tmp_path: Path) -> None:
    stacks = find_stacks([stack(tmp_path / "mine", f'licence = "{licence}"{MANIFEST}')])
    assert stacks["mine"].licence == licence


def test_every_shipped_stack_says_its_licence() -> None:
    assert all(stack.licence for stack in find_stacks().values())


def test_a_variant_has_its_settings_and_an_unknown_one_is_told(tmp_path: Path) -> None:
    stacks = find_stacks([stack(tmp_path / "mine")])
    fast = StackRef(name="mine", variant="fast")
    assert pick_stack(stacks, fast).variant(fast).env == {"SPEED": "1"}
    with pytest.raises(Problem, match="default, fast"):
        pick_stack(stacks, StackRef(name="mine", variant="slow"))


def test_a_variant_may_be_of_another_class_than_its_stack(tmp_path: Path) -> None:
    classed = MANIFEST.replace("run =", 'class = "engine"\nrun =') + '[variants.wrong]\nclass = "flawed"\n'
    folders = [stack(tmp_path / "plain"), stack(tmp_path / "classed", classed)]
    plain, engine = (find_stacks([folder])[folder.name] for folder in folders)
    assert plain.class_of(plain.variants["fast"]) == "production"
    assert [engine.class_of(engine.variants[name]) for name in ("fast", "wrong")] == ["engine", "flawed"]


def told(processors: int, concurrency: int, **overrides: str) -> tuple[str, ...]:
    """What a stack is told of its budget: of all processes, their number, and threads and connections of each."""
    settings = stack_settings({"DATABASE_URL": "sqlite:///x", "CACHE_URL": ""}, processors, concurrency, overrides)
    assert settings["DATABASE_URL"] == "sqlite:///x"
    assert {"CACHE_URL", "UPSTREAM_URL"}.isdisjoint(settings)
    return tuple(settings[name] for name in ("MAX_CONCURRENCY", "WEB_CONCURRENCY", "MAX_THREADS", "DB_POOL"))


def test_the_concurrency_budget_is_shared_out_over_processes_whoever_sets_their_number() -> None:
    assert told(1, 16) == ("16", "1", "16", "16")
    assert told(3, 16) == ("16", "3", "6", "6")
    assert told(8, 3) == ("3", "3", "1", "1"), "no more processes than requests"
    assert told(1, 16, WEB_CONCURRENCY="2") == ("16", "2", "8", "8")
    assert told(4, 16, MAX_CONCURRENCY="8", DB_POOL="1") == ("8", "4", "2", "1")
    assert told(4, 16, WEB_CONCURRENCY="auto") == ("16", "auto", "4", "4")
    assert shares(5, 3) == [2, 2, 1]
