"""The progress of a load on a terminal: how far it is, the rate and its course, recent response times, errors."""

import math
from collections import deque
from typing import Any, Self

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


class LivePanel:
    """A panel that is kept up to date while its context is open, and cleared at the end."""

    def __init__(self, console: Console, url: str, load: CommandLoad) -> None:
        self._title = printable(url, max(console.width - 8, 20))
        self._load = load
        self._words = load.describe()
        self._event: dict[str, Any] = {}
        self._opened_at_seconds = 0.0
        self._rates: deque[float] = deque(maxlen=RATES_KEPT)
        self._live = Live(get_renderable=self.renderable, console=console, transient=True, refresh_per_second=4)

    def engine_event(self, event: dict[str, Any]) -> None:
        """Take the latest progress event in, and when the window opens."""
        if event["event"] == "window" and event["state"] == "opened":
            self._opened_at_seconds = event["elapsed_seconds"]
        if event["event"] == "progress":
            self._event = event
            self._rates.append(event["verified_per_second"])

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

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
