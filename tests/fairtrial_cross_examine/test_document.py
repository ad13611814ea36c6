"""docs/cross-examine.md: every kind, every tool, and every key of a statement."""

from pathlib import Path

import pytest

from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.formats import all_formats
from fairtrial_cross_examine.statement import StatedComparison, StatedRun, Statement, read_statement
from tests.docs.pages import DOCS, code_blocks

PAGE = DOCS / "cross-examine.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = {part.split("\n", 1)[0]: part for part in TEXT.split("\n## ")[1:]}


@pytest.mark.parametrize("name", contradiction_kinds())
def test_every_kind_has_its_section(name: str) -> None:
    kind = contradiction_kinds()[name]
    assert "**Means**" in SECTIONS[name]
    assert kind.ask.strip().endswith(("?", "."))


@pytest.mark.parametrize("name", all_formats())
def test_every_tool_is_named(name: str) -> None:
    assert any(line.startswith(f"| {name} |") for line in TEXT.splitlines())


@pytest.mark.parametrize("model", [Statement, StatedRun, StatedComparison], ids=lambda model: model.__name__)
def test_every_key_of_a_statement_is_described(model: type[Statement | StatedRun | StatedComparison]) -> None:
    for key in model.model_fields:
        assert f"`{key}`" in TEXT or f"[{key}]" in TEXT, key


def test_the_example_statement_is_accepted(tmp_path: Path) -> None:
    (example,) = code_blocks(PAGE, "toml")
    file = tmp_path / "example.toml"
    file.write_text(example)
    assert read_statement(file).runs
