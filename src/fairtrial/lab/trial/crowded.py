"""Trials of a block in slices that have no figures, as one beside them could not be measured."""

from collections.abc import Collection, Sequence

from fairtrial.plan.plan import PlannedTrial
from fairtrial.record.model import Failure, TrialRecord


def say_why_not(trials: Sequence[PlannedTrial], records: Sequence[TrialRecord], busy: Collection[int]) -> None:
    """Record, for each trial without a figure and without a reason of its own, who kept it from one.

    Where nobody did, the machine was too busy, which the check `crowded-rounds` says.

    Args:
        busy: indices of trials whose servers were too busy while they were idle, which a check says of them.
    """
    at_fault = [record.index in busy or _is_at_fault(record) for record in records]
    culprits = [trial.condition.label for trial, guilty in zip(trials, at_fault, strict=True) if guilty]
    for record, guilty in zip(records, at_fault, strict=True):
        if culprits and record.engine is None and not guilty:
            record.failure = Failure(
                stage="crowded",
                reason=f"it is measured in turn with {culprits[0]}, which could not be measured",
                remedy=f"see why {culprits[0]} could not",
            )


def _is_at_fault(record: TrialRecord) -> bool:
    """Whether its record says why it could not be measured."""
    broken = not all(clause.passed for clause in record.contract)
    return broken or record.failure is not None or record.exit_status is not None
