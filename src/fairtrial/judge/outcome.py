"""Outcomes: of a trial and of a condition (valid, refused or not run, and why), and of a run as its exit status."""

from collections.abc import Sequence

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, INTERRUPTED, NOTHING_RAN, REFUTED
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.model import Outcome, Result, TrialResult
from fairtrial.record.model import TrialRecord

NOT_RUN = {"service", "requirements", "build", "reset", "start", "crowded", "interrupted", "host"}
"""Stages whose failure means that nothing was measured. A failure in `contract` or `load` is the contender's own, so
the trial is refused; and so is one in `start` if the check `START_FAILED` says so."""

START_FAILED = "start-failed"
CAUSES = ("server-exited", START_FAILED)
"""Checks on a stack that does not run. It answers nothing: what other checks found follows from it."""


def trial_outcome(trial: TrialRecord, findings: Sequence[Finding]) -> tuple[Outcome, str | None, str | None]:
    """Outcome, reason and remedy. `findings` are those about this trial."""
    failure = trial.failure
    refusals = [finding for finding in findings if finding.refuses_trial]
    refusals.sort(key=lambda finding: finding.check not in CAUSES)
    is_selection = any(finding.check == START_FAILED for finding in refusals)
    if failure is not None and failure.stage in NOT_RUN and not is_selection:
        return "not run", failure.reason, failure.remedy
    if trial.engine is not None and trial.engine.interrupted:
        return "not run", "the run was interrupted during this trial", "run the experiment again"
    if refusals:
        return "refused", f"{refusals[0].check}: {refusals[0].evidence}", refusals[0].remedy
    if failure is not None:
        return "refused", failure.reason, failure.remedy
    if trial.engine is None and trial.program is None:
        return "not run", "nothing was measured", "see the stack's log"
    return "valid", None, None


def refusing_checks(trial: TrialResult) -> str | None:
    """The names of the checks that refused the trial, None if none did."""
    names = dict.fromkeys(finding.check for finding in trial.findings if finding.refuses_trial)
    return ", ".join(names) if trial.outcome == "refused" and names else None


def condition_outcome(trials: Sequence[TrialResult]) -> tuple[Outcome, str | None]:
    """Outcome and reason of a condition.

    Refused if any trial is: figures over the trials that happened to pass, or over the starts that happened to
    succeed, would be a selection. Valid if at least one trial is valid, though others were not run for reasons that are
    not the contender's. Otherwise not run.
    """
    refused = [trial for trial in trials if trial.outcome == "refused"]
    if refused:
        causes = dict.fromkeys(refusing_checks(trial) or trial.reason or "" for trial in refused)
        return "refused", f"{len(refused)} of {len(trials)} trials refused: {'; '.join(causes)}"
    if any(trial.outcome == "valid" for trial in trials):
        return "valid", None
    return "not run", trials[0].reason if trials else "it was never tried"


def exit_status(result: Result) -> int:
    """The exit status of `fairtrial run` and `fairtrial judge`.

    0 all trials valid and all claims upheld; 1 a claim refuted or equal; 3 a trial refused or not run, or a claim
    undecided; 4 nothing could run; 130 interrupted. 2 is wrong usage, which never comes from a result. Trials of blocks
    that were left out whole do not count. An equal claim is not upheld, and nothing about it is in doubt.
    """
    trials = [trial for condition in result.conditions for trial in condition.trials]
    outcomes = {trial.outcome for trial in trials if trial.block not in result.blocks_left_out}
    # A condition may be refused for what its contender did in a block that was left out.
    outcomes |= {condition.outcome for condition in result.conditions if condition.outcome == "refused"}
    verdicts = {claim.verdict for claim in result.claims}
    if result.interrupted:
        return INTERRUPTED
    if verdicts & {"refuted", "equal"}:
        return REFUTED
    if not outcomes & {"valid", "refused"}:
        return NOTHING_RAN
    if outcomes != {"valid"} or "undecided" in verdicts or any(not condition.trials for condition in result.conditions):
        return IN_DOUBT
    return ALL_WELL
