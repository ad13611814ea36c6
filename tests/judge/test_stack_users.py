"""Whose processes stacks were: the result has it by condition, and the report in words."""

import pytest

from fairtrial.judge.judging import judge, user_over
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import StackUser
from fairtrial.report.html import html_text
from fairtrial.report.stack_users import users_in_words
from tests.builders import a_trial, an_experiment
from tests.lines import passage

EXPERIMENT = an_experiment("a", "b", blocks=1).record()
FIRST, SECOND = EXPERIMENT.conditions
HELD, APART = StackUser(own=True, held_to_cpus=True), StackUser(own=True)
LABS = StackUser(own=False, reason="<the lab> is not root")


def by(user: StackUser | None, condition: str = FIRST.id, index: int = 1) -> TrialRecord:
    return a_trial().record().model_copy(update={"user": user, "condition": condition, "index": index})


@pytest.mark.parametrize(
    ("users", "over"),
    [([HELD, HELD], HELD), ([HELD, APART], APART), ([HELD, LABS], LABS), ([None, APART], APART), ([None], None)],
)
def test_a_condition_had_what_all_its_trials_had(users: list[StackUser | None], over: StackUser | None) -> None:
    assert user_over([by(user) for user in users]) == over


def test_the_report_says_it_once_or_for_each(snapshot: object) -> None:
    same = judge(EXPERIMENT, [by(HELD), by(HELD, SECOND.id, 2)], interrupted=False)
    assert users_in_words(same) == snapshot
    trials = [by(APART), by(LABS, SECOND.id, 2)]
    differing = judge(EXPERIMENT, trials, interrupted=False)
    assert users_in_words(differing) == snapshot
    assert passage(html_text(differing, EXPERIMENT, trials), "b: the user", "not root)") == snapshot
    assert users_in_words(judge(EXPERIMENT, [by(None)], interrupted=True)) == []
