"""How a trial ended, in a few words."""

import pytest

from fairtrial.lab.progress.trial_lines import ending
from fairtrial.record.model import ProgramRun
from tests.builders import TrialBuilder, a_trial

HOSTILE = "\x1b[2Jno\nsecond line"


@pytest.mark.parametrize(
    ("trial", "text"),
    [
        (a_trial().serving(12_345), "12,345 verified answers/s"),
        (a_trial().serving(900).erring(timeout=1, reset=1200), "900 verified answers/s, 1,201 errors"),
        (a_trial().breaking("keep-alive"), "contract broken: keep-alive"),
        (a_trial().failing("build", HOSTILE), "build: \\x1b[2Jno"),
        (a_trial().failing("build", "`make` ended with status 1:\nno rule"), "build: `make` ended with status 1"),
        (a_trial().failing("start", "x" * 500), f"start: {'x' * 152}…"),
    ],
)
def test_a_server(trial: TrialBuilder, text: str) -> None:
    assert ending(trial.record()).plain == text


def test_a_server_that_ended_by_itself() -> None:
    record = a_trial().but(exit_status=3).record().model_copy(update={"engine": None})
    assert ending(record).plain == "ended by itself with status 3"


def test_a_program() -> None:
    program = ProgramRun(operations=50_000, seconds=12.5, exit_status=0)
    record = a_trial().record().model_copy(update={"engine": None, "program": program})
    assert ending(record).plain == "4,000 operations/s, 12.50 s"
