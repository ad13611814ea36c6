"""What is shown while a load is offered: a live panel on a terminal, a line a second elsewhere."""

import os
from contextlib import AbstractContextManager
from typing import Any, Protocol

from rich.console import Console

from fairtrial.engine.plan import EnginePlan
from fairtrial.tools.load.progress.live import LivePanel
from fairtrial.tools.load.progress.plain import PlainLines


class LoadWatcher(Protocol):
    """Is told what the engine says."""

    def engine_event(self, event: dict[str, Any]) -> None:
        """The engine said something: docs/engine-protocol.md."""


class Watching(LoadWatcher, AbstractContextManager["Watching"], Protocol):
    """A watcher that is on the screen while its context is open."""


def watching(console: Console, url: str, plan: EnginePlan, *, plain: bool) -> Watching:
    """What fits the console: the panel needs a terminal that can be rewritten, and nobody who asked for plain."""
    unwanted = plain or "NO_COLOR" in os.environ or os.environ.get("TERM") in ("dumb", "unknown")
    return PlainLines(console) if unwanted or not console.is_terminal else LivePanel(console, url, plan)
