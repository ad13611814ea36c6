"""The slowest traced requests of each condition, for the HTML report."""

from collections.abc import Sequence

from fairtrial.judge.model import ConditionResult, Result
from fairtrial.record.model import TrialRecord
from fairtrial.record.traced import TracedAnswer, slowest_of


def slowest_traced(
    result: Result, trials: Sequence[TrialRecord]
) -> list[tuple[ConditionResult, Sequence[TracedAnswer]]]:
    """The slowest of each condition, over all its trials; conditions without any are left out."""
    windows = {
        condition.id: [
            trial.engine.slowest_traced
            for trial in trials
            if trial.condition == condition.id and trial.engine is not None
        ]
        for condition in result.conditions
    }
    by_condition = [(condition, slowest_of(windows[condition.id])) for condition in result.conditions]
    return [(condition, slowest) for condition, slowest in by_condition if slowest]
