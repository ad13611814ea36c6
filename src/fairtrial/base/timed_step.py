"""A step that may take its time: what is done, and on a terminal how long it has been going on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from fairtrial.base.formatting import minutes


@contextmanager
def timed_step(console: Console, text: str) -> Iterator[None]:
    """Print what is done. Within, a terminal shows the time so far in the line below, which goes away at the end."""
    console.print(Text(text, style="dim"), soft_wrap=True)
    begun_at_seconds = time.monotonic()

    def so_far() -> Text:
        return Text(f"  {minutes(time.monotonic() - begun_at_seconds)}", style="dim")

    with Live(get_renderable=so_far, console=console, transient=True, refresh_per_second=4):
        yield
