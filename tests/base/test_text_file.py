"""Text files that cannot be written, and what to do about it."""

from pathlib import Path

import pytest

from fairtrial.base.exit_status import NOTHING_RAN, WRONG_USE
from fairtrial.base.problem import Problem
from fairtrial.base.text_file import write_text


@pytest.mark.parametrize(
    ("path", "remedy", "status"),
    [("/dev/full", "free space", NOTHING_RAN), ("none/x.json", "check that its folder", WRONG_USE)],
)
def test_the_remedy_and_the_exit_status_fit_the_reason(tmp_path: Path, path: str, remedy: str, status: int) -> None:
    """A full disk is no matter of permissions, and no wrong use."""
    with pytest.raises(Problem, match="cannot be written") as caught:
        write_text(tmp_path / path, "x")
    assert caught.value.remedy.startswith(remedy) and caught.value.exit_status == status
