"""The parts of pages that are written from the code are as the code says."""

import pytest

from fairtrial.docs.commands import command_parts, exit_statuses_of
from fairtrial.docs.markdown import bullets, prose
from fairtrial.docs.pages import PAGES, with_parts
from fairtrial.judge.checks import all_checks
from tests.docs.pages import DOCS, anchors


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_command_writes(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    assert page == with_parts(page, PAGES[name]()), "run: python -m fairtrial.docs"


def test_every_check_has_its_section_with_all_of_its_thresholds() -> None:
    parts = PAGES["checks.md"]()
    assert all_checks().keys() <= anchors(DOCS / "checks.md")
    for name, check in all_checks().items():
        assert check.finds and check.decides and " **Looks at** " in parts[name].replace("\n", " ")
        for key, threshold in check.thresholds.items():
            assert f"- `{key}` {threshold.value:g} (" in parts[name]


def test_the_checks_of_loads_are_listed() -> None:
    listed = PAGES["checks.md"]()["checks of loads"]
    assert "[not-warm](#not-warm)" in listed and "[ledger](#ledger)" not in listed


def test_a_part_replaces_what_stood_between_its_markers() -> None:
    page = "a\n<!-- b -->\nold\n<!-- /b -->\nc\n"
    assert with_parts(page, {"b": "new"}) == "a\n<!-- b -->\nnew\n<!-- /b -->\nc\n"


@pytest.mark.parametrize(("parts", "message"), [({}, "nothing writes"), ({"b": "", "c": ""}, "lacks the lines <!-- c")])
def test_markers_and_parts_belong_together(parts: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        with_parts("<!-- b -->\n<!-- /b -->\n", parts)


def test_prose_is_wrapped_and_lists_are_indented() -> None:
    assert prose("a\nb\n\nc") == "a b\n\nc"
    first, second = bullets(["word " * 40]).splitlines()
    assert first.startswith("- word") and len(first) <= 120 and second.startswith("  word")


def test_options_and_exit_statuses_are_those_of_the_help() -> None:
    parts = command_parts("import")
    assert "| `-o`, `--out` FILE | standard output |" in parts["options"] and "SOURCE" not in parts["options"]
    assert "| `--force` | off |" in parts["options"] and "| `--most` N | 100 |" in parts["options"]
    statuses = [line.split(" | ")[0] for line in exit_statuses_of("ab-test")["exit statuses"].splitlines()[2:]]
    assert statuses == ["| 0", "| 1", "| 2", "| 3", "| 4", "| 130"]
