"""Answers with a Content-Length beside a Transfer-Encoding: on records."""

import pytest

from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord
from fairtrial.tools.load.advice import warnings
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities
from tests.tools.load.measurements import measurement


def with_two_framings(answers: int | None) -> TrialRecord:
    """A trial of 12,000 answers, of which so many had both; None: an older record, in which nobody counted."""
    trial = a_trial().record()
    return trial.model_copy(update={"engine": summary(trial).model_copy(update={"two_framings": answers})})


def summary(trial: TrialRecord) -> EngineSummary:
    assert trial.engine
    return trial.engine


@pytest.mark.parametrize(("answers", "expected"), [(None, []), (0, []), (1, ["note"]), (12_000, ["note"])])
def test_a_single_one_is_noted(answers: int | None, expected: list[str]) -> None:
    findings = found("two-framings", an_experiment("a").record(), [with_two_framings(answers)])
    assert severities(findings) == expected
    assert all(each.evidence.startswith(f"{answers:,} of 12,000 answers had a Content-Length") for each in findings)


def test_a_load_by_itself_tells_of_them(snapshot: object) -> None:
    (said,) = warnings(measurement(two_framings=7))
    assert said == snapshot
