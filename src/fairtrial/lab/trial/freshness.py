"""The freshness test: the lab changes rows while a stack serves them, to find stacks that answer from memory.

While the load runs, the lab reads a few rows through the stack, changes them in the database, waits for a grace period
and reads them again. Then it changes them back. The engine knows which rows those are and does not judge their text.
"""

import random
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

import httpx

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import Answer, ask, client_of
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Data, Table
from fairtrial.catalog.workloads.model import FreshnessProbe
from fairtrial.record.model import Freshness

ROWS = 3
"""One row is enough to find a cache; three find it whichever rows the cache happens to hold."""

GRACE_SECONDS = 1.0
"""Time for replicas, and for transactions that are under way. A workload that allows longer caching says so."""

SHORTEST_WINDOW_SECONDS = 2.0
"""A shorter window has no time to change rows, wait, and read them again while the load runs."""


def chosen_keys(probe: FreshnessProbe, data: Data, seed: int) -> list[int]:
    """Keys of the rows that will be changed, drawn from all."""
    table = _table(probe, data)
    keys = [row[table.given_columns[0]] for row in table.rows.sample()]
    draw = random.Random(seed)  # noqa: S311 (a choice, not a secret)
    return sorted(draw.sample(keys, min(ROWS, len(keys))))


class FreshnessTest:
    """Runs beside the load, in a thread of its own, from `begin` to `result`."""

    def __init__(
        self, probe: FreshnessProbe, data: Data, keys: Sequence[int], url: str, service: RunningService
    ) -> None:
        self._probe, self._data, self._keys, self._url, self._service = probe, data, keys, url, service
        self._outcome: Freshness | None = None
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        """Begin to change rows."""
        self._thread.start()

    def result(self) -> Freshness | None:
        """Wait for the end. None if it was never begun, or nothing could be read through the stack.

        Raises:
            Problem: the database refused the change.
        """
        if not self._thread.ident:
            return None
        self._thread.join()
        if isinstance(self._problem, Problem):
            raise self._problem
        return self._outcome

    def _run(self) -> None:
        with client_of(self._url) as client:
            try:
                self._outcome = self._try(client)
            except (Problem, httpx.HTTPError) as problem:
                self._problem = problem

    def _try(self, client: httpx.Client) -> Freshness:
        probe = self._probe
        table = _table(probe, self._data)
        before = {row[table.given_columns[0]]: row[probe.column] for row in table.rows.sample()}
        for key in self._keys:
            ask(client, "GET", probe.path(self._data, key))  # so that a cache that there may be is filled
        changed: list[int] = []
        try:
            for key in self._keys:
                self._service.change(probe.table, key, probe.column, new_text(before[key]))
                changed.append(key)
            time.sleep(GRACE_SECONDS)
            stale = [
                answer
                for key in self._keys
                if not _shows(answer := ask(client, "GET", probe.path(self._data, key)), new_text(before[key]))
            ]
        finally:
            for key in changed:
                with suppress(Problem):
                    self._service.change(probe.table, key, probe.column, before[key])
        return Freshness(
            changed=len(self._keys),
            stale=len(stale),
            grace_seconds=GRACE_SECONDS,
            example=stale[0].excerpt() if stale else "",
        )


def new_text(text: str) -> str:
    """A different text of the same length: each lower-case letter becomes the next one of the alphabet."""
    return "".join(chr((ord(letter) - 97 + 1) % 26 + 97) if letter.islower() else letter for letter in text)


def _shows(answer: Answer, text: str) -> bool:
    return text in answer.body.decode(errors="replace") or text in printable(answer.headers.get("location", ""))


def _table(probe: FreshnessProbe, data: Data) -> Table:
    return next(table for table in data.tables if table.name == probe.table)
