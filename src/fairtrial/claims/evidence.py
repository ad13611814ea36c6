"""What a claim is judged by: a record whose trials already have outcomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairtrial.experiment.model import Experiment, StackRef
from fairtrial.judge.model import Outcome
from fairtrial.record.model import Condition, TrialRecord


@dataclass(frozen=True)
class Evidence:
    """Trials in the order of their index; `outcomes` by trial index, each with the cause where it is not valid."""

    experiment: Experiment
    conditions: Sequence[Condition]
    trials: Sequence[TrialRecord]
    outcomes: Mapping[int, tuple[Outcome, str | None]]
    interrupted: bool

    def condition(self, contender: StackRef) -> Condition:
        """The condition in which `contender` was tried.

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
