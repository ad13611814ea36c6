"""One load, offered and observed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rich.console import Console

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, INTERRUPTED, NOTHING_RAN
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.run import StopEarly, run_engine
from fairtrial.record.histogram import Histogram, read_histogram
from fairtrial.record.model import EngineSummary
from fairtrial.tools.load.progress import watching


@dataclass(frozen=True)
class Measurement:
    """What was asked of which URL, and what the engine saw."""

    url: str
    plan: EnginePlan
    summary: EngineSummary

    @cached_property
    def response_times(self) -> Histogram:
        """From a request's intended start to its answer's last byte."""
        return read_histogram(self.summary.response_time.hdr_base64)

    @cached_property
    def service_times(self) -> Histogram:
        """From a request's sending to its answer's last byte."""
        return read_histogram(self.summary.service_time.hdr_base64)

    @property
    def failed(self) -> dict[str, int]:
        """Errors by kind, without the kinds that did not occur."""
        return {kind: count for kind, count in self.summary.errors.items() if count}

    @property
    def answers_per_second(self) -> float:
        """What other tools call requests per second: complete answers, right or wrong."""
        window = self.summary.window_seconds
        return self.summary.answers / window if window > 0 else 0.0

    @property
    def exit_status(self) -> int:
        """0 every request was answered well, 3 some were not, 4 none was, 130 interrupted."""
        if self.summary.interrupted:
            return INTERRUPTED
        if not self.summary.verified:
            return NOTHING_RAN
        return IN_DOUBT if self.failed else ALL_WELL


def measure(
    console: Console, url: str, plan: EnginePlan, *, plain: bool = False, at_most_seconds: float | None = None
) -> Measurement:
    """Offer the plan's load while `console` shows how it goes. Ctrl-C ends it early, with a report.

    Args:
        at_most_seconds: ends a load that counts requests after this time, too; that is no interruption.

    Raises:
        Problem: the engine refused the plan or ended without a summary.
    """
    ended_by_time = False

    with watching(console, url, plan, plain=plain) as watcher:

        def on_event(event: dict[str, Any]) -> None:
            nonlocal ended_by_time
            watcher.engine_event(event)
            if at_most_seconds is not None and event.get("elapsed_seconds", 0.0) >= at_most_seconds:
                ended_by_time = True
                raise StopEarly

        handler: Callable[[dict[str, Any]], None] = on_event
        summary = run_engine(plan, handler, report_when_interrupted=True)
    if ended_by_time:
        summary = summary.model_copy(update={"interrupted": False})
    return Measurement(url, plan, summary)
