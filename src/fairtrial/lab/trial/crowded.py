"""Trials of a block in slices that have no figures: who kept them from one."""

from collections.abc import Collection, Sequence

from fairtrial.plan.plan import PlannedTrial
from fairtrial.record.model import Failure, TrialRecord


def say_why_not(trials: Sequence[PlannedTrial], records: Sequence[TrialRecord], busy: Collection[int]) -> None:
    """Record, for each trial without a figure and without a reason of its own, what kept it from one.

    Args:
        busy: indices of trials whose servers were too busy while they were idle, which a check says of them.
    """
    rule = trials[0].condition.point.experiment.slices
    assert rule is not None
    at_fault = [record.index in busy or _is_at_fault(record) for record in records]
    culprits = [trial.condition.label for trial, guilty in zip(trials, at_fault, strict=True) if guilty]
    for record, guilty in zip(records, at_fault, strict=True):
        if record.engine is not None or guilty:
            continue
        if culprits:
            record.failure = Failure(
                stage="crowded",
                reason=f"it is measured in turn with {culprits[0]}, which could not be measured",
                remedy=f"see why {culprits[0]} could not",
            )
        else:
            slices = [] if record.slices is None else record.slices.slices
            kept_rounds = sum(each.kept for each in slices)
            record.failure = Failure(
                stage="crowded",
                reason=f"only {kept_rounds} of {len(slices)} rounds could be kept, in which {rule.describe()}"
                if slices
                else "earlier blocks used up all rounds that there were to spare: the machine was too busy",
                remedy="stop what else runs on this machine, or try again at a quieter time",
            )


def _is_at_fault(record: TrialRecord) -> bool:
    """Whether its record says why it could not be measured."""
    broken = not all(clause.passed for clause in record.contract)
    return broken or record.failure is not None or record.exit_status is not None
