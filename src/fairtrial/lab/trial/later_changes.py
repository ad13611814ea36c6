"""Rows that change while the load asks for them, each at a moment of its own."""

import threading
import time
from collections.abc import Mapping, Sequence

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService
from fairtrial.lab.meters.service import LaterChange


class LaterChanges:
    """Changes rows in a thread of its own, from now on, over one connection."""

    def __init__(
        self, service: RunningService, table: str, column: str, changes: Sequence[LaterChange], opened: float
    ) -> None:
        """Begin.

        Args:
            opened: when the window opened, by the monotonic clock, in seconds.
        """
        self._service, self._table, self._column, self._changes = service, table, column, changes
        self._committed_ns: dict[int, int] = {}
        self._ending = threading.Event()
        self._problem: Problem | None = None
        self._thread = threading.Thread(target=self._change, args=[opened], daemon=True)
        self._thread.start()

    def _change(self, opened: float) -> None:
        try:
            with self._service.changing(self._table, self._column) as change:
                for each in self._changes:
                    if self._ending.wait(max(0.0, opened + each.after_seconds - time.monotonic())):
                        return
                    change(each.key, each.value)
                    self._committed_ns[each.key] = time.monotonic_ns()
        except Problem as problem:
            self._problem = problem

    def stop(self) -> None:
        """Change no more."""
        self._ending.set()
        self._thread.join()

    def committed(self) -> Mapping[int, int]:
        """Change no more; by key, when its change was committed, in nanoseconds of the monotonic clock.

        Raises:
            Problem: the service refused one.
        """
        self.stop()
        if self._problem is not None:
            raise self._problem
        return self._committed_ns
