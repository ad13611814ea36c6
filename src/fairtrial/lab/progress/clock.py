"""How long it has taken and how long it will."""

import time

from fairtrial.base.formatting import minutes
from fairtrial.plan.plan import planned_seconds
from fairtrial.record.model import ExperimentRecord


class Clock:
    """Elapsed and remaining seconds of the trials."""

    def __init__(self, experiment: ExperimentRecord) -> None:
        load = experiment.experiment.load
        self._experiment = experiment
        self.total = experiment.trials_until_look(1)
        self._guess = planned_seconds(1, load)
        self._began = time.monotonic()
        self.ended = 0
        self._ended_at = self._began

    def trial_ended(self) -> None:
        """One trial more is done. Behind a look that decided nothing, the next look's trials follow."""
        self.ended += 1
        if self.ended > self.total:
            self.total = self._experiment.trials_until_look(self.ended // len(self._experiment.conditions) + 1)
        self._ended_at = time.monotonic()

    def times(self) -> str:
        """`elapsed 0:42, remaining 1:10`."""
        return f"elapsed {minutes(self.elapsed_seconds)}, remaining {minutes(self.remaining_seconds)}"

    @property
    def elapsed_seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def remaining_seconds(self) -> float:
        """From the mean of the trials so far; before the first one, from the plan."""
        mean = (self._ended_at - self._began) / self.ended if self.ended else self._guess
        return max(0.0, (self.total - self.ended) * mean - (time.monotonic() - self._ended_at))
