"""Progress on a terminal: one line that is kept up to date, and lines that ended trials leave."""

import time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import minutes
from fairtrial.base.text_charts import progress_bar
from fairtrial.engine.progress import phase
from fairtrial.lab.preparation import Steps
from fairtrial.lab.progress.clock import Clock
from fairtrial.lab.progress.trial_lines import TrialLines
from fairtrial.plan.plan import PlannedTrial
from fairtrial.record.model import ExperimentRecord, TrialRecord

BAR_CELLS = 24


class LiveProgress:
    """Shows trial, stage, current rate, elapsed and remaining time."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._console = console
        self._verbose = verbose
        self._lines: TrialLines | None = None
        self._clock: Clock | None = None
        self._trial: PlannedTrial | None = None
        self._steps: Steps | None = None
        self._activity = ""
        self._loading = ""
        self._rate = ""
        self._share = 0.0
        self._activity_since = time.monotonic()
        # Created last: it draws its first line at once, from all of the above.
        self._live = Live(console=console, transient=True, get_renderable=self._line, refresh_per_second=4)

    def preparing(self, what: str) -> None:
        self.step(f"preparing {what}")

    def step(self, text: str) -> None:
        self._activity, self._loading, self._share = text, "", 0.0
        self._activity_since = time.monotonic()
        self._live.start(refresh=True)
        self._live.refresh()

    def follow(self, steps: Steps) -> None:
        self._steps = steps

    def rows_loaded(self, rows: int, of: int) -> None:
        self._loading, self._share = f"loading rows: {rows:,} of {of:,}" if rows < of else "", rows / of

    def begins(self, experiment: ExperimentRecord) -> None:
        self._clock = Clock(experiment)
        self._lines = TrialLines(experiment, self._clock, verbose=self._verbose)

    def trial_begins(self, trial: PlannedTrial) -> None:
        self._trial = trial
        self._rate = ""

    def stage(self, name: str) -> None:
        self._activity = name

    def waiting(self, what: str) -> None:
        self._activity = f"waiting for {what}"

    def engine_event(self, event: dict[str, Any]) -> None:
        if event["event"] == "progress":
            self._activity = phase(event)
            self._rate = f"{event['verified_per_second']:,.0f}/s"
            if event["errors"]:
                self._rate += f", {event['errors']:,} errors"

    def trial_ends(self, record: TrialRecord) -> None:
        assert self._clock and self._lines
        self._clock.trial_ended()
        self._share = self._clock.ended / self._clock.total
        for line in self._lines.after(record):
            self._console.print(line, highlight=False)

    def close(self) -> None:
        """Remove the live line from the screen."""
        self._live.stop()

    def _line(self) -> Table:
        line = Table.grid(padding=(0, 2))
        cells = [progress_bar(self._share, BAR_CELLS)]
        if self._clock and self._trial:
            cells += [
                Text(f"trial {self._trial.index}/{self._clock.total}"),
                Text(self._trial.condition.label, style="bold"),
                Text(self._activity),
                Text(self._rate, style="cyan"),
                Text(self._clock.times(), style="dim"),
            ]
        else:
            steps = self._steps.line() if self._steps else ""
            seconds = time.monotonic() - self._activity_since
            cells.append(Text("; ".join(part for part in (steps, self._loading) if part) or self._activity))
            if not steps:
                cells.append(Text(minutes(seconds), style="dim"))
        line.add_row(*cells)
        return line
