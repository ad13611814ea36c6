"""What a command prints fits a screen of 80 columns, in a pipe as on a terminal."""

import pytest

from tests.called_here import Call
from tests.command_line import Lab
from tests.commands.test_formats import WRK
from tests.report.scene import recorded

COMMANDS = [
    "list",
    "list stacks",
    "list workloads",
    "list experiments",
    "list studies",
    "services",
    "doctor",
    "doctor --verbose",
    "explain",
    "explain not-warm",
    "explain response_time_p99",
    "explain load.kind",
    "judge done",
    "judge done --verbose",
    "compare done done",
    "history done",
    "pool done",
    "cross-examine wrk.log",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_no_line_is_wider_but_by_one_word(lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """A path or a command may be longer: it is copied in one piece."""
    monkeypatch.setenv("COLUMNS", "80")
    recorded(lab.folder / "done")
    (lab.folder / "wrk.log").write_text(WRK)
    done = call(*line.split())
    wide = [each for each in (done.out + done.err).splitlines() if len(each) > 80]
    assert [each for each in wide if len(each) - max(map(len, each.split())) > 80] == []
    assert not any("  " in each.strip() for each in wide), "columns are no wider than the screen"
