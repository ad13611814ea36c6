"""Offer one load and measure it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rich.console import Console

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, INTERRUPTED, NOTHING_RAN
from fairtrial.engine.plan import Closed, EnginePlan
from fairtrial.engine.run import StopEarly, run_engine
from fairtrial.lab.awake import processors_awake
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.histogram import Histogram, read_histogram
from fairtrial.tools.load.progress import progress_on


@dataclass(frozen=True)
class Measurement:
    """A load on a URL, and what the engine measured."""

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
        """Complete answers per second, right or wrong: what other tools call requests per second."""
        window = self.summary.window_seconds
        return self.summary.answers / window if window > 0 else 0.0

    @property
    def is_open(self) -> bool:
        """True if requests began by a schedule, however fast the answers came."""
        return not isinstance(self.plan.load, Closed)

    @property
    def exit_status(self) -> int:
        """0: every request was answered as expected, 3: some were not, 4: none was, 130: interrupted."""
        if self.summary.interrupted:
            return INTERRUPTED
        if not self.summary.verified:
            return NOTHING_RAN
        return IN_DOUBT if self.failed else ALL_WELL


def measure(
    console: Console, url: str, plan: EnginePlan, *, plain: bool = False, at_most_seconds: float | None = None
) -> Measurement:
    """Offer the plan's load and show its progress on `console`. Ctrl-C ends it early; what was measured is returned.

    Args:
        plain: print a line a second, even on a terminal.
        at_most_seconds: also ends a load of a fixed number of requests after this time, which is no interruption.

    Raises:
        Problem: the engine refused the plan or ended without a summary.
    """
    time_is_up = False

    with progress_on(console, url, plan, plain=plain) as progress, processors_awake():

        def on_event(event: dict[str, Any]) -> None:
            nonlocal time_is_up
            progress.engine_event(event)
            if at_most_seconds is not None and event.get("elapsed_seconds", 0.0) >= at_most_seconds:
                time_is_up = True
                raise StopEarly

        summary = run_engine(plan, on_event, report_when_interrupted=True)
    if time_is_up:
        summary = summary.model_copy(update={"interrupted": False})
    return Measurement(url, plan, summary)
