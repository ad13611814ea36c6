"""A job of the lab's own beside a program: it keeps the disk of the database busy, and counts what it did."""

import secrets
import threading
from itertools import cycle
from typing import Self

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Table

TEXT_BYTES = 500
"""A text is twice as many characters, written in hexadecimal, so that no database can compress it away."""


class BackgroundJob:
    """Changes a text in one row after the other over one connection, each change a transaction that the database
    flushes to its disk.

    A context manager: the job runs within it, and every row is as before when it is left. Leaving it raises Problem if
    the database refused a change.

    Args:
        table: its first column is the key, its second the text; None: there is nothing to do.
    """

    def __init__(self, service: RunningService, table: Table | None) -> None:
        self._service, self._table = service, table
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._change_rows, args=[table], daemon=True)
        self._problem: Problem | None = None
        self._commits = 0

    def stop(self) -> dict[str, int]:
        """End the job, and return how many changes were committed, by the name of `Ledger.done`."""
        if self._table is None:
            return {}
        self._ending.set()
        self._thread.join()
        return {"background_commits": self._commits}

    def _change_rows(self, table: Table) -> None:
        key, column = table.given_columns
        try:
            with self._service.changing(table.name, column) as change:
                for row in cycle(table.rows.sample()):
                    if self._ending.is_set():
                        return
                    change(row[key], secrets.token_hex(TEXT_BYTES))
                    self._commits += 1
        except Problem as problem:
            self._problem = problem

    def __enter__(self) -> Self:
        if self._table is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._problem is not None:
            raise self._problem
        if self._table is not None:
            key, column = self._table.given_columns
            with self._service.changing(self._table.name, column) as change:
                for row in self._table.rows.sample():
                    change(row[key], row[column])
