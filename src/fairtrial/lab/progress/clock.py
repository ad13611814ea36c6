"""Elapsed and remaining time of an experiment."""

import time

from fairtrial.base.formatting import minutes
from fairtrial.judge.checks import run_checks
from fairtrial.judge.run_length import with_looks_in_time
from fairtrial.plan.plan import planned_seconds
from fairtrial.record.model import ExperimentRecord, TrialRecord


class Clock:
    """Counts trials and estimates the remaining time from their mean duration."""

    def __init__(self, experiment: ExperimentRecord) -> None:
        load = experiment.experiment.load
        self._experiment = experiment
        self.total = self._trials_until_first_end = experiment.trials_until_possible_end(1)
        self._planned_trial_seconds = planned_seconds(1, load)
        self._started_at = time.monotonic()
        self.ended = 0
        self._last_end_at = self._started_at

    def trial_begins(self, index: int) -> None:
        """Take note of a trial. Where the run might have ended before it, the total grows up to the next possible
        end."""
        if index > self.total:
            self.total = self._trials_until_end_behind(index)

    def trial_ended(self) -> None:
        """Count a trial."""
        self.ended += 1
        if self.ended == self._trials_until_first_end:
            self._experiment = with_looks_in_time(self._experiment, self.elapsed_seconds)
            self.total = self._experiment.trials_until_possible_end(1)
        self._last_end_at = time.monotonic()

    def _trials_until_end_behind(self, index: int) -> int:
        """The next look; of a run with a time, behind its last look, the end of the block that is under way."""
        block = -(-index // len(self._experiment.conditions))
        looks = self._experiment.looks
        if self._experiment.decide_within_seconds is not None and looks and block > looks[-1]:
            return block * len(self._experiment.conditions)
        return self._experiment.trials_until_possible_end(block)

    def refusing(self, trial: TrialRecord) -> list[str]:
        """The checks that refuse a trial, looked at by itself; the others, which need all trials, follow at the end."""
        findings = run_checks(self._experiment, [trial])
        return list(dict.fromkeys(each.check for each in findings if each.trial and each.refuses_trial))

    def times(self) -> str:
        """Both times as text: `elapsed 0:42, remaining 1:10`."""
        return f"elapsed {minutes(self.elapsed_seconds)}, remaining {minutes(self.remaining_seconds)}"

    @property
    def elapsed_seconds(self) -> float:
        return time.monotonic() - self._started_at

    @property
    def remaining_seconds(self) -> float:
        """From the mean duration of the ended trials; before the first one ends, from the plan."""
        trial_seconds = (
            (self._last_end_at - self._started_at) / self.ended if self.ended else self._planned_trial_seconds
        )
        return max(0.0, (self.total - self.ended) * trial_seconds - (time.monotonic() - self._last_end_at))
