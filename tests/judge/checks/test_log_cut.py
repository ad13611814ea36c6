"""A log that was cut off is told; one that is whole is not."""

from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities

EXPERIMENT = an_experiment("a", "b").record()


def test_a_log_that_was_cut_off_is_told() -> None:
    trial = a_trial().record().model_copy(update={"log_dropped_bytes": 90_000_000})
    (finding,) = found("log-cut", EXPERIMENT, [trial])
    assert finding.severity == "warning" and "90,000,000 bytes" in finding.evidence


def test_a_whole_log_is_left_alone() -> None:
    assert severities(found("log-cut", EXPERIMENT, [a_trial().record()])) == []
