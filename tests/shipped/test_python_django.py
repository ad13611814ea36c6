"""What python-django has of its own: rows of several threads are written together."""

import runpy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from fairtrial.base.locations import shipped

BATCHES = shipped("stacks") / "python-django" / "api" / "batches.py"


def batches(write: Callable[[list[int]], object], size: int) -> Any:
    return runpy.run_path(str(BATCHES))["Batches"](write, size)


def added(together: Any, rows: int) -> list[BaseException | None]:
    """All rows at once, each by a thread of its own; what each was told."""
    at_once = Barrier(rows)

    def add(row: int) -> None:
        at_once.wait(timeout=10)
        together.add(row)

    with ThreadPoolExecutor(rows) as threads:
        return [adding.exception(timeout=10) for adding in [threads.submit(add, row) for row in range(rows)]]


def test_each_row_is_written_once_and_never_more_than_fit() -> None:
    written: list[list[int]] = []
    assert added(batches(written.append, 4), 20) == [None] * 20
    assert sorted(row for rows in written for row in rows) == list(range(20))
    assert all(1 <= len(rows) <= 4 for rows in written) and len(written) < 20


def test_a_row_that_stays_alone_is_written_all_the_same() -> None:
    written: list[list[int]] = []
    batches(written.append, 8).add(7)
    assert written == [[7]]


def test_all_of_a_batch_that_fails_are_told() -> None:
    def fail(_rows: list[int]) -> None:
        raise OSError("no disk")

    together = batches(fail, 3)
    assert [type(error) for error in added(together, 3)] == [OSError] * 3
    with pytest.raises(OSError, match="no disk"):
        together.add(1)
