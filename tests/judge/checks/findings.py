"""What one check found, for tests."""

from collections.abc import Sequence

from fairtrial.judge.checks import run_checks
from fairtrial.judge.checks.model import Finding
from fairtrial.record.model import ExperimentRecord, TrialRecord
from tests.builders import ExperimentBuilder, TrialBuilder, an_experiment


def found(check: str, record: ExperimentRecord, trials: Sequence[TrialRecord]) -> list[Finding]:
    """The findings of `check`."""
    return [finding for finding in run_checks(record, trials) if finding.check == check]


def in_trial(check: str, trial: TrialBuilder, experiment: ExperimentBuilder | None = None) -> list[Finding]:
    """The findings of `check` in an experiment of this one trial."""
    record = (an_experiment("a", "b") if experiment is None else experiment).record()
    return found(check, record, [trial.record()])


def severities(findings: Sequence[Finding]) -> list[str]:
    """How grave each is."""
    return [finding.severity for finding in findings]
