"""Accounts of the service and the upstream within a measured window, so that nobody pays for its answers before it
opens.

Counters are read as soon as the lab knows that the window is open, and when its load has ended. What was done before
the first reading is left out, and so is the part of the window before it.
"""

import time
from contextlib import suppress
from pathlib import Path

from fairtrial.catalog.services.model import Counters
from fairtrial.engine.process_tree import processes_below
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import UPSTREAM
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.proof import WindowWork


class WindowBooks:
    """The books of one window."""

    def __init__(self, context: TrialContext) -> None:
        self._context = context
        self._before: Counters = {}
        self._upstream_before: int | None = None
        self._opened_at = self._closed_at = 0.0

    def open(self) -> None:
        """The window is open."""
        self._upstream_before = self._upstream_nanoseconds()
        self._before = self._context.service.counters()
        self._opened_at = time.monotonic()

    def close(self) -> None:
        """The window is closed."""
        self._closed_at = time.monotonic()

    def result(self, summary: EngineSummary) -> WindowWork:
        """The work since it was opened, when the load has ended."""
        upstream, after = self._upstream_nanoseconds(), self._context.service.counters()
        before = self._upstream_before
        load = self._context.condition.load.single_run()
        late_seconds = self._context.environment.trial_hosts.events_late_seconds
        return WindowWork(
            seconds=max(0.0, self._closed_at - self._opened_at - late_seconds),
            window_seconds=summary.window_seconds,
            counts={name: count - self._before[name] for name, count in after.items() if name in self._before},
            verified=summary.verified,
            # A load that begins with its window has as many under way as it can when the counters are read.
            in_flight=max(summary.in_flight_at_start or load.most_in_flight, summary.in_flight_at_end),
            upstream_share=None if upstream is None or before is None else (upstream - before) / max(1, upstream),
        )

    def _upstream_nanoseconds(self) -> int | None:
        """The processor time of the upstream's threads since it started (schedstat; proc(5)); None: it is not told."""
        if UPSTREAM not in self._context.urls:
            return None
        times = []
        for process in processes_below(self._context.partner_pids[-1]):
            for thread in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
                with suppress(OSError, ValueError):
                    times.append(int(thread.read_text().split()[0]))
        return sum(times) or None
