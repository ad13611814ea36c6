"""The freshness test: the lab changes rows while a stack serves them, to find stacks that answer from memory.

While the load runs, from a moment on that is drawn, the lab reads a row through the stack, changes it in the database,
and reads it again as soon as that is committed; then the next one. At the end it changes them back. Which rows is drawn
as well. The engine knows them and does not judge their text.
"""

import random
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import httpx

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import Answer, ask, client_of
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Data, Table
from fairtrial.catalog.workloads.model import FreshnessProbe
from fairtrial.record.proof import Freshness

ROWS = 3
"""One row is enough to find a cache; three find it whichever rows the cache happens to hold."""

ELSEWHERE_GRACE_SECONDS = 1.0
"""On a server of somebody else's, time for replicas. On the lab's own there are none: what was asked after a commit has
to show it."""

ONE_CHANGE_AT_A_TIME = threading.Lock()
"""Rows are changed by more than one thread, and clients count what they wrote."""

SHORTEST_WINDOW_SECONDS = 2.0
"""A shorter window has no time to change rows, wait, and read them again while the load runs."""


def chosen_rows(probe: FreshnessProbe, data: Data) -> list[dict[str, Any]]:
    """The rows that will be changed, ascending by key. They are drawn from all, and no seed tells which."""
    table = table_of(probe, data)
    return sorted(table.rows.drawn(ROWS), key=lambda row: int(row[table.given_columns[0]]))


def keys_of(probe: FreshnessProbe, data: Data, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """The keys of these rows."""
    return [row[table_of(probe, data).given_columns[0]] for row in rows]


class FreshnessTest:
    """Runs beside the load, in a thread of its own, from `begin` to `result`.

    Args:
        rows: those that are changed, as they are stored.
        headers: of each request, as the engine sends them.
        url: of the stack.
    """

    def __init__(
        self,
        probe: FreshnessProbe,
        data: Data,
        rows: Sequence[Mapping[str, Any]],
        headers: Sequence[tuple[str, str]],
        url: str,
        service: RunningService,
    ) -> None:
        self._probe, self._data, self._url, self._service = probe, data, url, service
        keys = keys_of(probe, data, rows)
        self._before = {key: str(row[probe.column]) for key, row in zip(keys, rows, strict=True)}
        self._headers = headers
        self._grace_seconds = grace_seconds(service)
        self._begins_after_seconds = 0.0
        self._outcome: Freshness | None = None
        self._problem: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self, window_seconds: float = 0.0) -> None:
        """Begin to change rows; within a window, at a moment of its first half that is drawn."""
        latest_seconds = max(0.0, window_seconds - 2 * self._grace_seconds) / 2
        self._begins_after_seconds = random.SystemRandom().uniform(0, latest_seconds)
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
        time.sleep(self._begins_after_seconds)
        with client_of(self._url) as client:
            client.headers.update(self._headers)
            try:
                self._outcome = self._try(client)
            except (Problem, httpx.HTTPError) as problem:
                self._problem = problem

    def _try(self, client: httpx.Client) -> Freshness:
        changed: list[int] = []
        stale: list[Answer] = []
        try:
            for key in self._before:
                self._asked(client, key)  # so that a cache that there may be is filled, at this very moment
                self._change(key, new_text(self._before[key]))
                changed.append(key)
                if not self._grace_seconds:
                    stale += self._if_stale(client, key)
            if self._grace_seconds:
                time.sleep(self._grace_seconds)
                for key in self._before:
                    stale += self._if_stale(client, key)
        finally:
            for key in changed:
                with suppress(Problem):
                    self._change(key, self._before[key])
        return Freshness(
            changed=len(self._before),
            stale=len(stale),
            grace_seconds=self._grace_seconds,
            example=stale[0].excerpt() if stale else "",
            keys=list(self._before),
        )

    def _change(self, key: int, text: str) -> None:
        with ONE_CHANGE_AT_A_TIME:
            self._service.change(self._probe.table, key, self._probe.column, text)

    def _asked(self, client: httpx.Client, key: int) -> Answer:
        return ask(client, "GET", self._probe.path(self._data, key))

    def _if_stale(self, client: httpx.Client, key: int) -> list[Answer]:
        """The answer about a changed row, if it does not show the change."""
        answer = self._asked(client, key)
        return [] if _shows(answer, new_text(self._before[key])) else [answer]


def grace_seconds(service: RunningService) -> float:
    """How long after a commit an old text may still be answered."""
    return ELSEWHERE_GRACE_SECONDS if service.identity.where == "external" else 0.0


def new_text(text: str) -> str:
    """A different text of the same length: each lower-case letter becomes the next one of the alphabet."""
    return "".join(chr((ord(letter) - 97 + 1) % 26 + 97) if letter.islower() else letter for letter in text)


def _shows(answer: Answer, text: str) -> bool:
    return text in answer.body.decode(errors="replace") or text in printable(answer.headers.get("location", ""))


def table_of(probe: FreshnessProbe, data: Data) -> Table:
    """In which rows are changed."""
    return next(table for table in data.tables if table.name == probe.table)
