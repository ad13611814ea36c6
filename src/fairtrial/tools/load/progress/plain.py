"""The progress of a load as a line a second, for logs and pipes."""

from typing import Any, Self

from rich.console import Console

from fairtrial.engine.progress import phase, recent_times

EVERY_SECONDS = 0.95
"""A little less than a second, as progress events do not come at whole seconds exactly."""


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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to clear from the screen."""
