"""Rows changed under a stack's hands: whoever answers from memory shows it.

While the load runs, the lab reads a few rows through the stack, changes them in the database, waits for a time of
grace, and reads them again. Then it changes them back. The engine is told which rows those are and does not judge their
text.
"""

import random
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

import httpx

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import ANSWER_WITHIN_SECONDS, Answer, ask
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Data, Table
from fairtrial.catalog.workloads.model import FreshnessProbe
from fairtrial.record.model import Freshness

ROWS = 3
"""One would do against a cache; three show it whichever rows a cache happens to hold."""

GRACE_SECONDS = 1.0
"""Time for replicas and transactions that are under way; whoever may cache for longer has a workload that says so."""

SHORTEST_WINDOW_SECONDS = 2.0
"""Below, there is no time to change anything, wait and look again while the load runs."""


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
        self._seen: Freshness | None = None
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
        return self._seen

    def _run(self) -> None:
        with httpx.Client(base_url=self._url, trust_env=False, timeout=ANSWER_WITHIN_SECONDS) as client:
            try:
                self._seen = self._try(client)
            except (Problem, httpx.HTTPError) as problem:
                self._problem = problem

    def _try(self, client: httpx.Client) -> Freshness:
        probe = self._probe
        table = _table(probe, self._data)
        before = {row[table.given_columns[0]]: row[probe.column] for row in table.rows.sample()}
        for key in self._keys:
            ask(client, "GET", probe.path(self._data, key))  # so that a cache has what it may
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
    """A text of the same length that differs: its letters move on by one."""
    return "".join(chr((ord(letter) - 97 + 1) % 26 + 97) if letter.islower() else letter for letter in text)


def _shows(answer: Answer, text: str) -> bool:
    return text in answer.body.decode(errors="replace") or text in printable(answer.headers.get("location", ""))


def _table(probe: FreshnessProbe, data: Data) -> Table:
    return next(table for table in data.tables if table.name == probe.table)
