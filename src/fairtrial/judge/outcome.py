"""What became of a trial and of a condition: valid, refused or not run, and why."""

from collections.abc import Sequence

from fairtrial.judge.model import Finding, Outcome, TrialResult
from fairtrial.record.model import TrialRecord

NOT_RUN = {"service", "requirements", "build", "start", "interrupted"}
"""Stages whose failure means that nothing was measured. A failure in `contract` or `load` is the contender's
own: refused."""


def trial_outcome(trial: TrialRecord, findings: Sequence[Finding]) -> tuple[Outcome, str | None, str | None]:
    """Outcome, reason and remedy. `findings` are those about this trial."""
    failure = trial.failure
    if failure is not None and failure.stage in NOT_RUN:
        return "not run", failure.reason, failure.remedy
    if trial.engine is not None and trial.engine.interrupted:
        return "not run", "the run was interrupted during this trial", "run the experiment again"
    refusals = [finding for finding in findings if finding.severity == "refusal"]
    if refusals:
        return "refused", f"{refusals[0].check}: {refusals[0].evidence}", refusals[0].remedy
    if failure is not None:
        return "refused", failure.reason, failure.remedy
    if trial.engine is None and trial.program is None:
        return "not run", "nothing was measured", "see the stack's log"
    return "valid", None, None


def refusing_checks(trial: TrialResult) -> str | None:
    """The names of the checks that refused the trial, None if none did."""
    names = dict.fromkeys(finding.check for finding in trial.findings if finding.severity == "refusal")
    return ", ".join(names) if trial.outcome == "refused" and names else None


def condition_outcome(trials: Sequence[TrialResult]) -> tuple[Outcome, str | None]:
    """Outcome and reason of a condition.

    Refused if any trial is: figures over the trials that happened to pass would be a selection. Valid if at least one
    trial is valid, though others were not run. Otherwise not run.
    """
    refused = [trial for trial in trials if trial.outcome == "refused"]
    if refused:
        causes = dict.fromkeys(refusing_checks(trial) or trial.reason or "" for trial in refused)
        return "refused", f"{len(refused)} of {len(trials)} trials refused: {'; '.join(causes)}"
    if any(trial.outcome == "valid" for trial in trials):
        return "valid", None
    return "not run", trials[0].reason if trials else "it was never tried"
