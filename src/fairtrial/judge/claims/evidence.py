"""What a claim is judged by: a record whose trials already have outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairtrial.experiment.model import Experiment
from fairtrial.judge.model import Outcome
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.record.model import Condition, TrialRecord


@dataclass(frozen=True)
class TrialOutcome:
    """What became of a trial: the cause in a few words where it is not valid, and the checks that refused it, or noted
    something."""

    outcome: Outcome
    cause: str | None
    refusing: frozenset[str] = frozenset()
    noting: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Evidence:
    """Trials in the order of their index; `outcomes` by trial index."""

    experiment: Experiment
    conditions: Sequence[Condition]
    trials: Sequence[TrialRecord]
    outcomes: Mapping[int, TrialOutcome]
    interrupted: bool
    blocks: int
    """that the verdict is to rest on: as many as were planned, or as there are at this look"""
    level: float = LEVEL
    """of each interval: above 95% where blocks were added while claims were undecided (statistics.looks)"""

    def condition(self, contender: object) -> Condition:
        """The condition in which `contender` (a reference, or its text) was tried.

        Raises:
            ValueError: there is none: the record does not fit its experiment.
        """
        for condition in self.conditions:
            if condition.contender == str(contender):
                return condition
        raise ValueError(f"the record holds no condition for {contender}")

    def of(self, condition: Condition) -> dict[int, TrialRecord]:
        """The trials of `condition`, by block."""
        return {trial.block: trial for trial in self.trials if trial.condition == condition.id}
