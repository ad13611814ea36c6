"""The progress of a load: a live panel on a terminal, a line a second elsewhere."""

import os
from contextlib import AbstractContextManager
from typing import Any, Protocol

from rich.console import Console

from fairtrial.tools.load.progress.live import LivePanel
from fairtrial.tools.load.progress.plain import PlainLines
from fairtrial.tools.load.request.command_load import CommandLoad


class LoadProgress(AbstractContextManager["LoadProgress"], Protocol):
    """Shows the progress while its context is open."""

    def engine_event(self, event: dict[str, Any]) -> None:
        """Take an event of the engine in: docs/engine-protocol.md."""


def progress_on(console: Console, url: str, load: CommandLoad, *, plain: bool) -> LoadProgress:
    """The view that fits the console: the panel needs a terminal that can rewrite lines, and that `plain` is False."""
    unwanted = plain or "NO_COLOR" in os.environ or os.environ.get("TERM") in ("dumb", "unknown")
    return PlainLines(console) if unwanted or not console.is_terminal else LivePanel(console, url, load)
