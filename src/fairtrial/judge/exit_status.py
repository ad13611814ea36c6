"""The exit status of `fairtrial run` and `fairtrial judge`."""

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, INTERRUPTED, NOTHING_RAN, REFUTED
from fairtrial.judge.model import Result


def exit_status(result: Result) -> int:
    """0 all trials valid and all claims upheld; 1 a claim refuted; 3 a trial refused or not run, or a claim undecided;
    4 nothing could run; 130 interrupted. (2, wrong usage, never comes from a result.)
    """
    outcomes = {trial.outcome for condition in result.conditions for trial in condition.trials}
    verdicts = {claim.verdict for claim in result.claims}
    if result.interrupted:
        return INTERRUPTED
    if "refuted" in verdicts:
        return REFUTED
    if not outcomes & {"valid", "refused"}:
        return NOTHING_RAN
    if outcomes != {"valid"} or "undecided" in verdicts or any(not condition.trials for condition in result.conditions):
        return IN_DOUBT
    return ALL_WELL
