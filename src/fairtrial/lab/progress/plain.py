"""Progress without a terminal: a line for each step, and one for each trial."""

from typing import Any

from rich.console import Console
from rich.text import Text

from fairtrial.lab.preparation import Steps
from fairtrial.lab.progress.clock import Clock
from fairtrial.lab.progress.ending import ending
from fairtrial.lab.trial.context import Trial
from fairtrial.record.model import ExperimentRecord, TrialRecord


class PlainProgress:
    """Prints as it goes; never rewrites a line."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._clock: Clock | None = None
        self._trial: Trial | None = None
        self._tenths_said = 0

    def preparing(self, what: str) -> None:
        self._tenths_said = 0
        self._say(Text(f"preparing {what}"))

    def follow(self, steps: Steps) -> None:
        """Steps are printed as they begin and end."""

    def step(self, text: str) -> None:
        self._say(Text(text))

    def rows_loaded(self, rows: int, of: int) -> None:
        tenths = rows * 10 // of
        if tenths > self._tenths_said:
            self._tenths_said = tenths
            self._say(Text(f"loading rows: {rows:,} of {of:,}"))

    def begins(self, experiment: ExperimentRecord) -> None:
        self._clock = Clock(experiment)

    def trial_begins(self, trial: Trial) -> None:
        self._trial = trial

    def stage(self, name: str) -> None:
        """Too fine for a log."""

    def waiting(self, what: str) -> None:
        self._say(Text(f"waiting for {what}"))

    def engine_event(self, event: dict[str, Any]) -> None:
        """Too fine for a log."""

    def trial_ends(self, record: TrialRecord) -> None:
        assert self._clock and self._trial
        self._clock.trial_ended()
        head = f"trial {record.index} of {self._clock.total}, block {record.block}, {self._trial.condition.contender}: "
        self._say(Text.assemble(head, ending(record), f" ({self._clock.times()})"))

    def close(self) -> None:
        """Nothing is left on the screen to take away."""

    def _say(self, text: Text) -> None:
        self._console.print(text, soft_wrap=True, highlight=False)
