"""The lab's own work on a service, so that it is never counted as the work of a stack."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from fairtrial.catalog.services.model import Counters
from fairtrial.catalog.tables import Table

ClientChange = Callable[[int, str], int]
"""As `Change`; returns how many rows were written: 1, or 0 where there is no such row, or it has that value."""


class LabWork:
    """Sums of what the lab did since the tables were loaded, in the server's own counters.

    One thread adds at a time.
    """

    def __init__(self) -> None:
        self._sums: Counter[str] = Counter()

    def add(self, work: Counters, times: int = 1) -> None:
        """Add what the lab does now, so many times.

        Args:
            work: what it adds to the server's counters, by the names of `Counters`.
        """
        for name, count in work.items():
            self._sums[name] += times * count

    def begin_anew(self) -> None:
        """Forget it: the tables were just loaded."""
        self._sums.clear()

    def left_out_of(self, counters: Counters) -> Counters:
        """The server's counters without it. Names that the server does not tell are not added."""
        return {name: count - self._sums[name] for name, count in counters.items()}


@dataclass(frozen=True)
class ChangeInCounters:
    """The change of a server's counters by a change of one row of a table, by the names of `Counters`."""

    statement: Counters
    """whether or not there is such a row"""
    row: Counters
    """if it was written"""


def one_write(table: Table) -> ChangeInCounters:
    """One write of one row, in counters that do not tell users apart."""
    return ChangeInCounters(
        {"statements": 1, "writes": 1, f"writes.{table.name}": 1},
        {"rows_written": 1, f"rows_written.{table.name}": 1},
    )
