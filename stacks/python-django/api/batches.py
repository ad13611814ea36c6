"""Rows of several threads, written together."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Generic, TypeVar

LONGEST_WAIT_SECONDS = 0.005

Row = TypeVar("Row")


@dataclass
class _Batch(Generic[Row]):
    rows: list[Row] = field(default_factory=list)
    full: Event = field(default_factory=Event)
    written: Future[None] = field(default_factory=Future)


class Batches(Generic[Row]):
    def __init__(self, write: Callable[[list[Row]], object], size: int) -> None:
        self._write = write
        self._size = size
        self._lock = Lock()
        self._open: _Batch[Row] | None = None

    def add(self, row: Row) -> None:
        """Return when the row is written, with those that came meanwhile. Whoever fills a batch writes it; whoever
        began it does so if it is not full in time."""
        with self._lock:
            batch = self._open = self._open or _Batch()
            batch.rows.append(row)
            began, filled = len(batch.rows) == 1, len(batch.rows) >= self._size
            if filled:
                self._open = None
        if filled:
            batch.full.set()
            self._write_all(batch)
        elif began and not batch.full.wait(LONGEST_WAIT_SECONDS) and self._closed(batch):
            self._write_all(batch)
        batch.written.result()

    def _closed(self, batch: _Batch[Row]) -> bool:
        """Whether the batch was still open, and is no more."""
        with self._lock:
            if self._open is not batch:
                return False
            self._open = None
            return True

    def _write_all(self, batch: _Batch[Row]) -> None:
        try:
            self._write(batch.rows)
        except Exception as error:  # each of those who wait is told
            batch.written.set_exception(error)
        else:
            batch.written.set_result(None)
