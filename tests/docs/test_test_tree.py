"""The tree of tests mirrors the source: who looks for the tests of a room finds them in the room of the same name."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src"

OF_OTHER_SOURCES = {"benches", "docs", "shipped"}
"""Tests of `benches/`, `docs/` and `stacks/`."""
NO_TESTS = {"builders", "fixtures", "machine"}
"""What tests are made of, or run on."""


def packages(root: Path) -> set[str]:
    names = {str(path.parent.relative_to(root)) for path in root.rglob("__init__.py")} - {"."}
    return {name for name in names if not name.startswith("fixtures/projects/")}


def source_packages() -> set[str]:
    """Those of the package `fairtrial` without its name."""
    return {name.removeprefix("fairtrial/") for name in packages(SOURCE)} - {"fairtrial"}


def test_every_folder_of_tests_has_the_name_of_what_it_tests() -> None:
    assert packages(TESTS) - OF_OTHER_SOURCES - NO_TESTS - source_packages() == set()
    assert {name for name in OF_OTHER_SOURCES - {"shipped"} if (TESTS.parent / name).is_dir()} == {"benches", "docs"}


def test_every_room_of_the_source_has_tests() -> None:
    """In a folder of its name, or in the folder of the room that it is a part of."""
    rooms = {name for name in source_packages() if "/" not in name}
    tested = {path.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py")}
    assert rooms - tested == set()
