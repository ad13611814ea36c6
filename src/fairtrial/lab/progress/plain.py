"""Progress without a terminal: a line for each step, each block, and each trial that went wrong or took long."""

from rich.console import Console
from rich.text import Text

from fairtrial.lab.crowded import CrowdedWarnings
from fairtrial.lab.progress.clock import Clock
from fairtrial.lab.progress.trial_lines import TrialLines
from fairtrial.lab.trial.events import (
    EngineEvent,
    Event,
    ExperimentBegins,
    Notice,
    TrialBegins,
    TrialEnds,
)
from fairtrial.lab.trial.step_lines import StepLines

SILENT_SECONDS = 30.0
"""So long nothing is printed at most while trials end."""


class PlainProgress:
    """Prints line after line and never rewrites one."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._console = console
        self._verbose = verbose
        self._clock: Clock | None = None
        self._lines: TrialLines | None = None
        self._crowded = CrowdedWarnings()
        self._steps = StepLines()
        self._printed_at_seconds = 0.0

    def on(self, event: Event) -> None:
        """Print what of this event is worth a line in a log: stages, rates and the begin of a trial are not."""
        if (step := self._steps.of(event)) is not None:
            self._print(Text(step))
        match event:
            case Notice(text):
                self._print(Text(text))
            case ExperimentBegins(experiment):
                self._clock = Clock(experiment)
                self._lines = TrialLines(experiment, self._clock, verbose=self._verbose)
            case TrialBegins(trial):
                assert self._clock
                self._clock.trial_begins(trial.index)
            case EngineEvent({"event": "crowded"} as crowded):
                self._crowded.after(crowded, self._print)
            case TrialEnds(record):
                assert self._clock and self._lines
                self._clock.trial_ended()
                is_long = self._clock.elapsed_seconds - self._printed_at_seconds >= SILENT_SECONDS
                for line in self._lines.after(record, is_long=is_long):
                    self._print(line)

    def _print(self, text: Text) -> None:
        self._printed_at_seconds = 0.0 if self._clock is None else self._clock.elapsed_seconds
        self._console.print(text, soft_wrap=True, highlight=False)
