"""Right answers without a body, or with a part of one, beside whole ones: on records."""

import pytest

from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities


def with_answers(verified: int, not_modified: int | None, partial: int | None) -> TrialRecord:
    """A trial of one request; None: an older record, in which nobody counted."""
    trial = a_trial().record()
    assert trial.engine
    share = a_trial().share("look", verified, 0.001)
    share = share.model_copy(update={"not_modified": not_modified, "partial": partial})
    return trial.model_copy(update={"engine": trial.engine.model_copy(update={"mix": [share]})})


@pytest.mark.parametrize(
    ("verified", "not_modified", "partial", "expected"),
    [
        (100, None, None, []),
        (100, 0, 0, []),
        (100, 100, 0, []),
        (100, 0, 100, []),
        (100, 1, 0, ["warning"]),
        (100, 99, 0, ["warning"]),
        (100, 0, 5, ["warning"]),
        (100, 50, 50, ["warning"]),
    ],
)
def test_whole_ones_and_others_are_not_the_same_work(
    verified: int, not_modified: int | None, partial: int | None, expected: list[str]
) -> None:
    findings = found("mixed-bodies", an_experiment("a").record(), [with_answers(verified, not_modified, partial)])
    assert severities(findings) == expected
    assert all("100 right answers to look" in each.evidence for each in findings)
