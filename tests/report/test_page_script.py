"""The charts' script in the page: bundled once, kept, and there even if it cannot be kept."""

from pathlib import Path

import pytest

from fairtrial.report import page


@pytest.fixture
def bundles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What was bundled, in an empty cache."""
    made: list[str] = []

    def bundle(source: str) -> str:
        made.append(source)
        return f"/* </script> */ {len(source)};"

    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(page, "_bundled", bundle)
    page._script.cache_clear()
    monkeypatch.setattr(page, "_script", page._script.__wrapped__)  # each call as in a process of its own
    return made


def test_it_is_bundled_once(bundles: list[str]) -> None:
    assert page._script() == page._script()
    assert len(bundles) == 1


def test_nothing_in_it_can_end_its_element(bundles: list[str]) -> None:
    assert "</script" not in page._script()
    assert "\\x3c/script" in page._script()


def test_a_cache_that_cannot_be_written_costs_time_and_no_report(
    bundles: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "file"))
    assert page._script() == page._script()
    assert len(bundles) == 2
