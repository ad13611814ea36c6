"""Accounts of the service and the upstream within a measured window, so that nobody pays for its answers before it
opens.

Counters are read as soon as the lab knows that the window is open, and when its load has ended. What was done before
the first reading is left out, and so is the part of the window before it. In slices they are read before each run of
the engine, when its window has closed, and after it.
"""

import math
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from fairtrial.catalog.services.model import Counters
from fairtrial.engine.process_tree import processes_below
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import UPSTREAM
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.proof import WindowWork

TENTHS_IN_A_SECOND = 10


class WindowBooks:
    """The books of one window."""

    def __init__(self, context: TrialContext) -> None:
        self._context = context
        self._before: Counters = {}
        self._upstream_before: int | None = None
        self._opened_at = self._closed_at = 0.0

    def open(self) -> None:
        """The window is open."""
        self._upstream_before = _upstream_nanoseconds(self._context)
        self._before = self._context.service.counters()
        self._opened_at = time.monotonic()

    def close(self) -> None:
        """The window is closed."""
        self._closed_at = time.monotonic()

    def result(self, summary: EngineSummary) -> WindowWork:
        """The work since it was opened, when the load has ended."""
        upstream, after = _upstream_nanoseconds(self._context), self._context.service.counters()
        before = self._upstream_before
        load = self._context.condition.load.single_run()
        late_seconds = self._context.environment.trial_hosts.events_late_seconds
        seconds = max(0.0, self._closed_at - self._opened_at - late_seconds)
        return WindowWork(
            seconds=seconds,
            window_seconds=summary.window_seconds,
            counts={name: count - self._before[name] for name, count in after.items() if name in self._before},
            verified=summary.verified,
            verified_since=_verified_since(summary, summary.window_seconds - seconds),
            # A load that begins with its window has as many under way as it can when the counters are read.
            in_flight=max(summary.in_flight_at_start or load.most_in_flight, summary.in_flight_at_end),
            upstream_share=None if upstream is None or before is None else (upstream - before) / max(1, upstream),
        )


class SliceBooks:
    """The books of all runs of the engine in slices together: nothing that is done between them pays for an answer.

    For each run: `open`, `ring` when its window has closed, and `close`.
    """

    def __init__(self, context: TrialContext) -> None:
        self._context = context
        self._seconds = 0.0
        self._counts: Counter[str] = Counter()
        self._verified = self._in_flight = 0
        self._upstream_in_runs = 0
        self._upstream: int | None = None
        self.at_bell: Counters | None = None
        """the counters when the last run had ended; None: there was none"""

    def open(self) -> None:
        """A run of the engine begins."""
        self._before, self._upstream_before = self._context.service.counters(), _upstream_nanoseconds(self._context)

    def ring(self) -> None:
        """Its window has closed. Soon the stack may know that nobody asks it any more."""
        self._upstream, now = _upstream_nanoseconds(self._context), self._context.service.counters()
        self._counts.update({name: count - self._before[name] for name, count in now.items() if name in self._before})
        if self._upstream is not None and self._upstream_before is not None:
            self._upstream_in_runs += self._upstream - self._upstream_before

    def close(self, summary: EngineSummary) -> None:
        """It has ended, and what was in flight when its window closed is answered."""
        self.at_bell = self._context.service.counters()
        self._seconds += summary.window_seconds
        self._verified += summary.run_verified or 0
        self._in_flight += summary.in_flight_at_end

    def result(self) -> WindowWork:
        """The work in all of them."""
        return WindowWork(
            seconds=self._seconds,
            window_seconds=self._seconds,
            counts=dict(self._counts),
            verified=self._verified,
            in_flight=self._in_flight,
            upstream_share=None if self._upstream is None else self._upstream_in_runs / max(1, self._upstream),
        )


def _verified_since(summary: EngineSummary, seconds: float) -> int | None:
    """Verified answers of the tenths of a second that began so long after the window or later; None: not counted.

    Clients that stop early, of a host whose ports are spent, are through before the counters are read.
    """
    verified = summary.tenths.verified if summary.tenths else []
    if len(verified) < math.floor(summary.window_seconds * TENTHS_IN_A_SECOND):
        return None
    return sum(verified[math.ceil(max(0.0, seconds) * TENTHS_IN_A_SECOND) :])


def _upstream_nanoseconds(context: TrialContext) -> int | None:
    """The processor time of the upstream's threads since it started (schedstat; proc(5)); None: it is not told."""
    if UPSTREAM not in context.urls:
        return None
    times = []
    for process in processes_below(context.partner_pids[-1]):
        for thread in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
            with suppress(OSError, ValueError):
                times.append(int(thread.read_text().split()[0]))
    return sum(times) or None
