"""Imports go one way, as docs/architecture.md says; and nothing imports in a circle."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from fairtrial.base.locations import PACKAGE

SOURCE = PACKAGE.parent
DOCUMENT = SOURCE.parent / "docs" / "architecture.md"


@cache
def layers() -> list[set[str]]:
    """The layers: packages or modules, lowest first."""
    listed = DOCUMENT.read_text().partition("Imports go one way")[2].partition("##")[0]
    return [{name} for name in re.findall(r"`([a-z_.]+)`", listed)]


@cache
def imports() -> list[tuple[str, str]]:
    """(importer, imported), as modules; those of the package `fairtrial` without its name."""
    return list(_imports())


def modules() -> Iterator[tuple[str, Path]]:
    for path in SOURCE.rglob("*.py"):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        if name != PACKAGE.name:
            yield name.removeprefix(f"{PACKAGE.name}."), path


def _imports() -> Iterator[tuple[str, str]]:
    for importer, path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and re.match(r"fairtrial[._]", node.module):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield importer, (inner if exists(inner) else node.module).removeprefix(f"{PACKAGE.name}.")


@cache
def exists(module: str) -> bool:
    path = SOURCE.joinpath(*module.split("."))
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
    for name, path in modules():
        if path.name != "__init__.py":
            layer(name)


def test_only_the_command_line_and_the_documentation_know_the_packages_beside_the_lab() -> None:
    importers = {
        importer.split(".")[0]
        for importer, imported in imports()
        if imported.startswith("fairtrial_") and not importer.startswith("fairtrial_")
    }
    assert importers == {"commands", "docs"}
