"""Progress without a terminal: a line for each step, each block, and each trial that went wrong or took long."""

from typing import Any

from rich.console import Console
from rich.text import Text

from fairtrial.lab.preparation import Steps
from fairtrial.lab.progress.clock import Clock
from fairtrial.lab.progress.trial_lines import TrialLines
from fairtrial.plan.plan import PlannedTrial
from fairtrial.record.model import ExperimentRecord, TrialRecord

SILENT_SECONDS = 30.0
"""So long nothing is printed at most while trials end."""


class PlainProgress:
    """Prints line after line and never rewrites one."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._console = console
        self._verbose = verbose
        self._clock: Clock | None = None
        self._lines: TrialLines | None = None
        self._printed_tenths = 0
        self._printed_at_seconds = 0.0

    def preparing(self, what: str) -> None:
        self._printed_tenths = 0
        self._print(Text(f"preparing {what}"))

    def follow(self, steps: Steps) -> None:
        """Steps are printed as they begin and end."""

    def step(self, text: str) -> None:
        self._print(Text(text))

    def rows_loaded(self, rows: int, of: int) -> None:
        tenths = rows * 10 // of
        if tenths > self._printed_tenths:
            self._printed_tenths = tenths
            self._print(Text(f"loading rows: {rows:,} of {of:,}"))

    def begins(self, experiment: ExperimentRecord) -> None:
        self._clock = Clock(experiment)
        self._lines = TrialLines(experiment, self._clock, verbose=self._verbose)

    def trial_begins(self, trial: PlannedTrial) -> None:
        """Print nothing: its end is enough for a log."""

    def stage(self, name: str) -> None:
        """Print nothing: stages and rates are too detailed for a log."""

    def waiting(self, what: str) -> None:
        self._print(Text(f"waiting for {what}"))

    def engine_event(self, event: dict[str, Any]) -> None:
        """Print nothing: stages and rates are too detailed for a log."""

    def trial_ends(self, record: TrialRecord) -> None:
        assert self._clock and self._lines
        self._clock.trial_ended()
        is_long = self._clock.elapsed_seconds - self._printed_at_seconds >= SILENT_SECONDS
        for line in self._lines.after(record, is_long=is_long):
            self._print(line)

    def close(self) -> None:
        """Do nothing: there is no live line to remove."""

    def _print(self, text: Text) -> None:
        self._printed_at_seconds = 0.0 if self._clock is None else self._clock.elapsed_seconds
        self._console.print(text, soft_wrap=True, highlight=False)
