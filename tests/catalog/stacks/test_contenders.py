"""Contenders of an experiment as stacks: what they run, where, and what is known of them."""

import re
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.contenders import checked_out, with_contenders
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.folder import find_build
from fairtrial.catalog.stacks.kinds import make_ready, stack_sha256
from fairtrial.catalog.stacks.model import Checkout, Stack
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.experiment.model import Experiment
from tests.catalog.stacks.repositories import a_repository
from tests.catalog.stacks.test_find import MANIFEST, stack

DIRECTORY = {"directory": "shop", "command": ["./shop"], "env": {"COLOUR": "red"}, "port": 8080}


def an_experiment(described: dict[str, Any], **more: Any) -> Experiment:
    file = {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["app"], "load": {"kind": "closed"}}
    return Experiment.model_validate(file | {"contenders": {"app": described}} | more)


def app(described: dict[str, Any], beside: Path, **more: Any) -> Stack:
    return with_contenders({}, an_experiment(described, **more), beside, {})["app"]


def ready(request: BuildRequest) -> Path:
    return make_ready(request).folder


def test_a_command_is_run_where_it_lies_and_known_by_its_words_alone(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    stack = app(DIRECTORY, tmp_path, stacks=["app", "app@sqlite"])
    assert (stack.run, stack.origin.port, stack.variants["default"].env) == (["./shop"], 8080, {"COLOUR": "red"})
    assert (stack.title, stack.workloads, stack.services) == ("app", ["plaintext"], ["none", "sqlite"])
    assert ready(BuildRequest(stack, tmp_path / "log", pytest.fail)) == shop
    assert find_build(BuildRequest(stack, tmp_path / "log", pytest.fail)) is None
    before = stack_sha256(stack)
    (shop / "shop").write_text("another program")
    assert stack_sha256(stack) == before
    assert stack_sha256(app({**DIRECTORY, "command": ["./other"]}, tmp_path)) != before
    shop.joinpath("shop").unlink()
    shop.rmdir()
    with pytest.raises(Problem, match="there is no folder"):
        ready(BuildRequest(stack, tmp_path / "log", pytest.fail))


def test_a_stack_may_be_run_where_it_lies_as_well(tmp_path: Path, snapshot: object) -> None:
    """Its stack.toml says so; what is built there is another thing."""
    folder = stack(tmp_path / "mine", 'directory = "../elsewhere"\nport = 8080\nready = { tcp = true }\n' + MANIFEST)
    (tmp_path / "elsewhere").mkdir()
    found = find_stacks([folder])["mine"]
    assert ready(BuildRequest(found, tmp_path / "log", pytest.fail)) == (tmp_path / "elsewhere").resolve()
    assert (found.origin.kind, found.origin.port, found.origin.ready and found.origin.ready.tcp) == (
        "command",
        8080,
        True,
    )
    built = stack(tmp_path / "built", 'directory = "."\nbuild = [["make"]]\n' + MANIFEST)
    with pytest.raises(Problem) as error:
        find_stacks([built])
    assert str(error.value) == snapshot


@pytest.mark.parametrize("key", ['url = "http://127.0.0.1:1"', "in_experiment = true", "checkouts = {}"])
def test_what_only_the_lab_sets_is_no_key_of_a_manifest(tmp_path: Path, key: str, snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        find_stacks([stack(tmp_path / "mine", f"{key}\n{MANIFEST}")])
    assert str(error.value) == snapshot


def test_a_folder_is_a_stack_under_the_name_of_the_contender(tmp_path: Path) -> None:
    stack(tmp_path / "My Shop")
    found = app({"folder": "My Shop", "title": "the shop"}, tmp_path)
    assert (found.name, found.title, found.services) == ("app", "the shop", ["sqlite"])


def test_what_is_missing_or_taken_is_told(tmp_path: Path, snapshot: object) -> None:
    with pytest.raises(Problem, match=r"contenders\.app\.folder: .* stack\.toml"):
        app({"folder": "."}, tmp_path)
    taken = {"app": find_stacks([stack(tmp_path / "mine")])["mine"]}
    with pytest.raises(Problem) as error:
        with_contenders(taken, an_experiment({"url": "http://127.0.0.1:1"}), tmp_path, {})
    assert str(error.value) == snapshot


def test_refs_of_what_is_run_where_it_lies_would_be_one_program(tmp_path: Path, snapshot: object) -> None:
    stack(tmp_path / "mine", 'directory = "."\n' + MANIFEST)
    described = {"folder": "mine", "refs": ["a", "b"]}
    checkouts = {"app": {name: Checkout(folder=tmp_path, commit=None) for name in ("a", "b")}}
    with pytest.raises(Problem) as error:
        with_contenders({}, an_experiment(described), tmp_path, checkouts)
    assert str(error.value) == snapshot


def test_refs_whose_manifests_would_run_them_in_another_way_are_refused(tmp_path: Path, snapshot: object) -> None:
    """Another title changes nothing that is run; a commit without a manifest is run by the one that there is."""
    stack(tmp_path / "mine", MANIFEST)
    described = {"folder": "mine", "refs": ["a", "b"]}
    text = (tmp_path / "mine" / "stack.toml").read_text()
    before, after = tmp_path / "before", tmp_path / "after"
    for folder in (before, after):
        folder.mkdir()
    checkouts = {"app": {name: Checkout(folder=folder, commit=None) for name, folder in (("a", before), ("b", after))}}
    (before / "stack.toml").write_text(re.sub("title = .*", 'title = "Another title"', text))
    assert list(with_contenders({}, an_experiment(described), tmp_path, checkouts)["app"].checkouts) == ["a", "b"]
    (after / "stack.toml").write_text(re.sub("run = .*", 'run = ["./with-more-workers"]', text))
    with pytest.raises(Problem) as error:
        with_contenders({}, an_experiment(described), tmp_path, checkouts)
    assert str(error.value) == snapshot


@pytest.mark.usefixtures("cache")
def test_refs_are_built_apart_and_those_of_one_content_once(tmp_path: Path) -> None:
    a_repository(tmp_path / "shop", {"app": "old"}, {"app": "new"}, {"app": "old"})
    described = {
        "folder": "shop",
        "command": ["./made"],
        "build": [["cp", "app", "made"]],
        "refs": ["first", "HEAD~1", "HEAD"],
    }
    experiment = an_experiment(described)
    begun: list[str] = []
    with checked_out(experiment, tmp_path) as checkouts:
        stack = with_contenders({}, experiment, tmp_path, checkouts)["app"]

        def built(variant: str) -> Path:
            apart = stack.built_apart(variant)
            assert stack.build_name(apart) == f"app:{variant}"
            return ready(BuildRequest(stack, tmp_path / "log", lambda: begun.append(variant), built_apart=apart))

        folders = {variant: built(variant) for variant in ("first", "head-1", "head")}
        assert stack_sha256(stack, "first") == stack_sha256(stack, "head") != stack_sha256(stack, "head-1")
    assert [(folders[name] / "made").read_text() for name in ("first", "head-1")] == ["old", "new"]
    assert (folders["head"], begun) == (folders["first"], ["first", "head-1"])
    other = an_experiment(described | {"build": [["cp", "app", "made"], ["true"]]})
    with checked_out(other, tmp_path) as checkouts:
        stack = with_contenders({}, other, tmp_path, checkouts)["app"]
        assert built("head") != folders["head"], "the commands are the experiment's, and decide what is built"
