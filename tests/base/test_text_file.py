"""Text files that cannot be written, and what to do about it."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.base.text_file import write_text


@pytest.mark.parametrize(("path", "remedy"), [("/dev/full", "free space"), ("none/x.json", "check that its folder")])
def test_the_remedy_fits_the_reason(tmp_path: Path, path: str, remedy: str) -> None:
    """A full disk is no matter of permissions."""
    with pytest.raises(Problem, match="cannot be written") as caught:
        write_text(tmp_path / path, "x")
    assert caught.value.remedy.startswith(remedy)
