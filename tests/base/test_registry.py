"""Things that users name: collected from a package, and looked up."""

import importlib
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.base.registry import MOST_NAMES, defined_in, did_you_mean, instead_of, pick
from fairtrial.catalog import balancers

KNOWN = {"node-http": 1, "go-nethttp": 2, "rust-axum": 3}


def write_package(folder: Path, name: str, **modules: str) -> None:
    package = folder / name
    package.mkdir()
    (package / "__init__.py").write_text("")
    for module, text in modules.items():
        (package / f"{module}.py").write_text(text)


def test_modules_are_found_by_what_they_define(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thing = "class THING:\n    name = {name!r}\n"
    write_package(
        tmp_path,
        "package_of_things",
        a_module=thing.format(name="z-thing"),
        b_module=thing.format(name="a-thing"),
        c_module="OTHER = 1\n",
    )
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("package_of_things")
    things = defined_in(package.__name__, package.__path__, "THING")
    assert list(things) == ["a-thing", "z-thing"]
    assert all(thing.name == name for name, thing in things.items())


def test_a_module_that_cannot_be_imported_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_package(tmp_path, "package_with_a_fault", broken="raise ValueError('broken')\n")
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("package_with_a_fault")
    with pytest.raises(ValueError, match="broken"):
        defined_in(package.__name__, package.__path__, "THING")


def test_every_file_with_a_balancer_is_found() -> None:
    files = [path for path in Path(balancers.__path__[0]).glob("*.py") if "\nBALANCER" in path.read_text()]
    things = defined_in(balancers.__name__, balancers.__path__, "BALANCER")
    assert len(things) == len(files) > 1


def test_pick_by_name() -> None:
    assert pick("stack", "rust-axum", KNOWN) == 3


def test_an_unknown_name_is_answered_with_the_most_similar_one(snapshot: object) -> None:
    with pytest.raises(Problem) as caught:
        pick("stack", "node-htp", KNOWN)
    assert caught.value.reason == snapshot
    assert caught.value.remedy == "name one that there is"


def test_nothing_is_suggested_where_nothing_is_similar_and_the_remedy_is_the_callers(snapshot: object) -> None:
    with pytest.raises(Problem) as caught:
        pick("stack", "zzz", KNOWN, "use --stacks DIR")
    assert caught.value.reason == snapshot
    assert caught.value.remedy == "use --stacks DIR"


def test_of_many_names_the_nearest_three_are_listed(snapshot: object) -> None:
    names = [*(f"name-{number}" for number in range(MOST_NAMES)), "xylo", "zither", "yak"]
    assert instead_of("xyz", names) == snapshot
    assert instead_of("xyz", []) == ""


@pytest.mark.parametrize(
    ("name", "suggestion"), [("bloks", " (did you mean blocks?)"), ("xyz", ""), ("blocks", " (did you mean blocks?)")]
)
def test_did_you_mean(name: str, suggestion: str) -> None:
    assert did_you_mean(name, ["blocks", "seed"]) == suggestion
