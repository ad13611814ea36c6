"""What a server of HTTP/2 refuses, and how many streams it allows: on records."""

import pytest

from fairtrial.record.engine_summary import StreamUse
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities


def trial_with(**changes: object) -> TrialRecord:
    """A trial of 12,000 answers, whose summary has these fields."""
    trial = a_trial().record()
    assert trial.engine
    return trial.model_copy(update={"engine": trial.engine.model_copy(update=changes)})


@pytest.mark.parametrize(("retried", "expected"), [(None, []), (0, []), (1, ["note"])])
def test_what_was_asked_again_is_noted(retried: int | None, expected: list[str]) -> None:
    findings = found("requests-retried", an_experiment("a").record(), [trial_with(retried=retried)])
    assert severities(findings) == expected


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        (None, []),
        (StreamUse(planned=50, allowed=None, most=50), []),
        (StreamUse(planned=50, allowed=128, most=50), []),
        (StreamUse(planned=50, allowed=10, most=9), []),
        (StreamUse(planned=50, allowed=10, most=10), ["warning"]),
    ],
)
def test_who_waits_for_a_stream_is_told(streams: StreamUse | None, expected: list[str], snapshot: object) -> None:
    findings = found("streams-not-allowed", an_experiment("a").record(), [trial_with(streams=streams)])
    assert severities(findings) == expected
    assert [each.evidence for each in findings] == snapshot
