"""The progress of a load: a live panel on a terminal, elsewhere a line a second, or a single one."""

import math
import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import minutes
from fairtrial.base.printable import printable
from fairtrial.base.text_charts import progress_bar, sparkline
from fairtrial.engine.progress import phase, recent_times
from fairtrial.tools.load.request.command_load import CommandLoad

BAR_CELLS = 32
RATES_KEPT = 48
EVERY_SECONDS = 0.95
"""A little less than a second, as progress events do not come at whole seconds exactly."""


@contextmanager
def load_progress_on(
    console: Console, url: str, load: CommandLoad, *, plain: bool, one_line: str | None = None
) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Takes events of the engine (docs/engine-protocol.md) and shows the progress in the form that fits the console.

    The panel needs a terminal that can rewrite lines, and that `plain` is False. It is cleared at the end.

    Args:
        one_line: elsewhere, this one in place of a line a second.
    """
    unwanted = plain or "NO_COLOR" in os.environ or os.environ.get("TERM") in ("dumb", "unknown")
    if unwanted or not console.is_terminal:
        if one_line is None:
            yield PlainLines(console).engine_event
        else:
            console.print(one_line, highlight=False, soft_wrap=True)
            yield lambda _: None
        return
    panel = LivePanel(console, url, load)
    with Live(get_renderable=panel.renderable, console=console, transient=True, refresh_per_second=4):
        yield panel.engine_event


class LivePanel:
    """How far a load is, the rate and its course, recent response times, errors."""

    def __init__(self, console: Console, url: str, load: CommandLoad) -> None:
        self._title = printable(url, max(console.width - 8, 20))
        self._load = load
        self._words = load.describe()
        self._event: dict[str, Any] = {}
        self._opened_at_seconds = 0.0
        self._rates: deque[float] = deque(maxlen=RATES_KEPT)

    def engine_event(self, event: dict[str, Any]) -> None:
        """Take the latest progress event in, and when the window opens."""
        if event["event"] == "window" and event["state"] == "opened":
            self._opened_at_seconds = event["elapsed_seconds"]
        if event["event"] == "progress":
            self._event = event
            self._rates.append(event["verified_per_second"])

    def renderable(self) -> RenderableType:
        facts = Table.grid(padding=(0, 2))
        facts.add_row(Text("load", style="dim"), self._words)
        facts.add_row(Text(self._phase(), style="dim"), self._bar())
        rate = f"{self._rates[-1]:,.0f}/s  " if self._rates else "…"
        facts.add_row(Text("verified", style="dim"), Text.assemble((rate, "bold"), (sparkline(self._rates), "cyan")))
        facts.add_row(Text("response", style="dim"), recent_times(self._event) or "…")
        errors = self._event.get("errors", 0)
        facts.add_row(Text("errors", style="dim"), Text(f"{errors:,}", style="bold red" if errors else ""))
        facts.add_row("", Text("Ctrl-C ends the load and reports", style="dim"))
        return Panel(facts, title=Text(self._title, style="bold"), title_align="left", expand=False)

    def _phase(self) -> str:
        return phase(self._event) if self._event else "connecting"

    def _bar(self) -> Text:
        elapsed = minutes(self._event.get("elapsed_seconds", 0.0))
        return Text.assemble(progress_bar(self._share(), BAR_CELLS), f"  {elapsed}{self._planned_length()}")

    def _share(self) -> float:
        """The part of the window that is done, 0 to 1; 0 where it is unknown."""
        event = self._event
        if event.get("phase") != "window":
            return 0.0
        planned = self._load.window_seconds
        if planned is not None:
            elapsed: float = event["elapsed_seconds"]
            return min((elapsed - self._opened_at_seconds) / planned, 1.0)
        requests: int = event["verified"] + event["errors"]
        return min(requests / (self._load.beyond.requests or math.inf), 1.0)

    def _planned_length(self) -> str:
        planned = self._load.window_seconds
        if planned is None or self._event.get("phase") == "warmup":
            return ""
        return f" of {minutes(self._opened_at_seconds + planned)}"


class PlainLines:
    """Each line: elapsed time, rate since the last line, errors so far, response times of the last second."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._printed_at = 0.0
        self._verified = 0

    def engine_event(self, event: dict[str, Any]) -> None:
        """Print a line if a second has passed since the last one, or since the window opened."""
        elapsed: float = event["elapsed_seconds"]
        if event["event"] == "window":
            self._printed_at, self._verified = elapsed, 0
            return
        passed = elapsed - self._printed_at
        if passed < EVERY_SECONDS:
            return
        rate = (event["verified"] - self._verified) / passed
        note = f"  ({phase(event)})" if event["phase"] == "warmup" else ""
        recent = recent_times(event)
        times = f"  {recent}" if recent else ""
        self._console.print(
            f"{elapsed:6.0f} s  {rate:12,.0f} verified/s  {event['errors']:10,} errors{times}{note}",
            highlight=False,
            soft_wrap=True,
        )
        self._printed_at, self._verified = elapsed, event["verified"]
