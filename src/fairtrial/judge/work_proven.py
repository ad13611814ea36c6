"""Whether anything but the answers themselves says that the work behind them was done."""

from collections.abc import Sequence

from fairtrial.record.model import Condition, ExperimentRecord, TrialRecord

WITHOUT_DATABASE = ("calls", "tasks", "steps", "computations", "background_commits")
"""Kinds of work that a condition on service `none` can imply all the same."""


def work_proven(record: ExperimentRecord, condition: Condition, trials: Sequence[TrialRecord]) -> bool | None:
    """True if at least one kind of the implied work was counted in each measured trial of the condition.

    Whether it was counted in full is decided by the check `ledger`. None: no work is implied, or nothing was measured.
    """
    work = record.implied_work.get(condition.id)
    measured = [trial for trial in trials if trial.engine is not None or trial.program is not None]
    if work is None or not measured:
        return None
    implied = {name for name, least in {**work.per_answer, **work.per_answer_in_tables}.items() if least > 0}
    if condition.service == "none":
        implied.intersection_update(WITHOUT_DATABASE)
    if not implied:
        return None
    return all(trial.ledger is not None and bool(implied & trial.ledger.done.keys()) for trial in measured)
