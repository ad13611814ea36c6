"""The form of the prose: wrapped, and without what must not be in it."""

from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, prose_lines

WIDTH = 120


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_wrapped(page: Path) -> None:
    """Only a single word, such as a link, may be longer than a line."""
    too_long = [number for number, line in prose_lines(page) if len(line) > WIDTH and " " in line.strip()]
    assert too_long == []
