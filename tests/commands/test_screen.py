"""What a command prints fits a screen of 80 columns, in a pipe as on a terminal."""

import pytest

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, NOTHING_RAN, REFUTED
from tests.called_here import Call
from tests.command_line import Lab
from tests.commands.test_formats import WRK
from tests.report.scene import recorded

COMMANDS = {
    "list": {ALL_WELL},
    "list stacks": {ALL_WELL},
    "list workloads": {ALL_WELL},
    "list experiments": {ALL_WELL},
    "list studies": {ALL_WELL},
    "services": {ALL_WELL},
    "doctor": {ALL_WELL, NOTHING_RAN},
    "doctor --verbose": {ALL_WELL, NOTHING_RAN},
    "explain": {ALL_WELL},
    "explain not-warm": {ALL_WELL},
    "explain response_time_p99": {ALL_WELL},
    "explain load.kind": {ALL_WELL},
    "judge done": {REFUTED},
    "judge done --verbose": {REFUTED},
    "compare done done": {IN_DOUBT},
    "history done": {ALL_WELL},
    "pool done": {IN_DOUBT},
    "cross-examine wrk.log": {ALL_WELL},
}
"""Each command, and the statuses by which it has done what it is for: that an error's message fits proves nothing."""


@pytest.mark.parametrize(("line", "statuses"), COMMANDS.items())
def test_no_line_is_wider_but_by_one_word(
    lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch, line: str, statuses: set[int]
) -> None:
    """A path or a command may be longer: it is copied in one piece."""
    monkeypatch.setenv("COLUMNS", "80")
    recorded(lab.folder / "done")
    (lab.folder / "wrk.log").write_text(WRK)
    done = call(*line.split())
    assert done.status in statuses, done.err
    wide = [each for each in (done.out + done.err).splitlines() if len(each) > 80]
    assert [each for each in wide if len(each) - max(map(len, each.split())) > 80] == []
    assert not any("  " in each.strip() for each in wide), "columns are no wider than the screen"
