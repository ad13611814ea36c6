"""Things that are looked up by the module that defines them, without importing the others."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from fairtrial.base.registry import defined_by_its_module, defined_in
from fairtrial.catalog import balancers, services, workloads

PACKAGE = "things_of_a_test"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with two things in it, and a module without one."""
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (folder / "__init__.py").touch()
    for module, name in (("oak_tree", "oak-tree"), ("ash", "ash")):
        (folder / f"{module}.py").write_text(f"class Thing:\n    name = {name!r}\nTHING = Thing()\n")
    (folder / "soil.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for module in [module for module in sys.modules if module.startswith(PACKAGE)]:
        del sys.modules[module]


def test_all_are_found_in_the_order_of_their_names(package: Path) -> None:
    assert list(defined_in(PACKAGE, [str(package)], "THING")) == ["ash", "oak-tree"]


def test_one_is_found_by_its_module_and_no_other_is_imported(package: Path) -> None:
    thing = defined_by_its_module(PACKAGE, "oak-tree", "THING")
    assert thing is not None and thing.name == "oak-tree"
    assert f"{PACKAGE}.ash" not in sys.modules


@pytest.mark.parametrize("name", ["elm", "soil", "oak_tree", "../ash", "", "ash.THING"])
def test_what_no_module_of_that_name_defines_is_none(package: Path, name: str) -> None:
    assert defined_by_its_module(PACKAGE, name, "THING") is None


@pytest.mark.parametrize(
    ("package", "attribute"),
    [(services, "SERVICE"), (workloads, "WORKLOAD"), (balancers, "BALANCER")],
)
def test_each_thing_is_in_the_module_of_its_name(package: ModuleType, attribute: str) -> None:
    """Otherwise a run that names it imports all others: drivers of databases take a third of a second."""
    things = defined_in(package.__name__, package.__path__, attribute)
    assert things
    assert [
        name for name, thing in things.items() if defined_by_its_module(package.__name__, name, attribute) is not thing
    ] == []
