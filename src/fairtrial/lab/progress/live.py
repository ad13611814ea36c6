"""Progress on a terminal: one line that is kept up to date, and lines that ended trials leave."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import minutes
from fairtrial.base.text_charts import progress_bar
from fairtrial.engine.progress import phase
from fairtrial.lab.crowded import CrowdedWarnings
from fairtrial.lab.progress.clock import Clock
from fairtrial.lab.progress.trial_lines import TrialLines
from fairtrial.lab.trial.events import (
    Building,
    EngineEvent,
    Event,
    ExperimentBegins,
    Notice,
    Preparing,
    RowProgress,
    StageBegins,
    Step,
    TrialBegins,
    TrialEnds,
)
from fairtrial.plan.plan import PlannedTrial

BAR_CELLS = 24


class LiveProgress:
    """Shows trial, stage, current rate, elapsed and remaining time."""

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._console = console
        self._verbose = verbose
        self._lines: TrialLines | None = None
        self._crowded = CrowdedWarnings()
        self._clock: Clock | None = None
        self._trial: PlannedTrial | None = None
        self._steps: Callable[[], str] = lambda: ""
        self._activity = ""
        self._loading = ""
        self._rate = ""
        self._share = 0.0
        self._activity_since = time.monotonic()
        # Created last: it draws its first line at once, from all of the above.
        self._live = Live(console=console, transient=True, get_renderable=self._line, refresh_per_second=4)

    def on(self, event: Event) -> None:
        """Show what of this event there is to see."""
        match event:
            case Preparing(what):
                self._step(f"preparing {what}")
            case Step(text):
                self._step(text)
            case Notice(text):
                self._console.print(text, markup=False, highlight=False)
            case Building(steps):
                self._steps = steps
            case RowProgress(rows, of):
                self._loading, self._share = f"loading rows: {rows:,} of {of:,}" if rows < of else "", rows / of
            case ExperimentBegins(experiment):
                self._clock = Clock(experiment)
                self._lines = TrialLines(experiment, self._clock, verbose=self._verbose)
            case TrialBegins(trial):
                assert self._clock
                self._clock.trial_begins(trial.index)
                self._trial, self._rate = trial, ""
            case StageBegins(name, awaited):
                self._activity = f"waiting for {awaited}" if awaited else name
            case EngineEvent({"event": "crowded"} as crowded):
                self._crowded.after(crowded, partial(self._console.print, highlight=False))
            case EngineEvent({"event": "progress"} as progress):
                self._show_rate(progress)
            case TrialEnds(record):
                assert self._clock and self._lines
                self._clock.trial_ended()
                self._share = self._clock.ended / self._clock.total
                for line in self._lines.after(record):
                    self._console.print(line, highlight=False)

    def _show_rate(self, progress: dict[str, Any]) -> None:
        self._activity = phase(progress)
        self._rate = f"{progress['verified_per_second']:,.0f}/s"
        if progress["errors"]:
            self._rate += f", {progress['errors']:,} errors"

    def _step(self, text: str) -> None:
        self._activity, self._loading, self._share = text, "", 0.0
        self._activity_since = time.monotonic()
        self._live.start(refresh=True)
        self._live.refresh()

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
            steps = self._steps()
            seconds = time.monotonic() - self._activity_since
            cells.append(Text("; ".join(part for part in (steps, self._loading) if part) or self._activity))
            if not steps:
                cells.append(Text(minutes(seconds), style="dim"))
        line.add_row(*cells)
        return line
