"""Imports go one way, as docs/architecture.md says; and nothing imports in a circle."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter

from fairtrial.base.locations import PACKAGE

DOCUMENT = PACKAGE.parents[1] / "docs" / "architecture.md"


@cache
def layers() -> list[set[str]]:
    """The numbered list of layers: packages or modules, lowest first."""
    lines = re.findall(r"^\d+\. (.*)$", DOCUMENT.read_text(), flags=re.MULTILINE)
    return [set(re.findall(r"`([a-z_.]+)`", line)) for line in lines]


@cache
def imports() -> list[tuple[str, str]]:
    """(importer, imported), as modules of the package without its name."""
    return list(_imports())


def _imports() -> Iterator[tuple[str, str]]:
    for path in PACKAGE.rglob("*.py"):
        importer = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("fairtrial."):
                for alias in node.names:
                    module = node.module.removeprefix("fairtrial.")
                    inner = f"{module}.{alias.name}"
                    yield importer, inner if exists(inner) else module


@cache
def exists(module: str) -> bool:
    path = PACKAGE.joinpath(*module.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@cache
def layer(module: str) -> int:
    """The place of the most specific name in the list."""
    found = [
        (len(name), place)
        for place, names in enumerate(layers())
        for name in names
        if module == name or module.startswith(f"{name}.")
    ]
    assert found, f"{module} is in no layer of {DOCUMENT.name}"
    return max(found)[1]


def test_one_package_a_layer() -> None:
    assert [len(names) for names in layers()] == [1] * len(layers())


def test_imports_go_down_or_stay_in_their_package() -> None:
    upwards = [f"{importer} -> {imported}" for importer, imported in imports() if layer(imported) > layer(importer)]
    assert upwards == []


def test_nothing_imports_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for importer, imported in imports():
        graph.setdefault(importer, set()).add(imported)
    TopologicalSorter(graph).prepare()


def test_every_module_has_its_layer() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.name != "__init__.py":
            layer(".".join(path.relative_to(PACKAGE).with_suffix("").parts))
