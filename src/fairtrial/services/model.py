"""What a service is."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from fairtrial.engine.dataset import Dataset
from fairtrial.workloads.model import Table

RowsLoaded = Callable[[int], None]
"""Called now and then with the number of rows loaded so far; not at all if the dataset was at hand."""


class RunningService(Protocol):
    """A service that is up and holds the dataset."""

    url: str

    def altered(self) -> bool:
        """Whether the dataset is no longer what was loaded."""

    def reset(self) -> None:
        """Bring the dataset back to what was loaded."""


@dataclass(frozen=True)
class Service:
    """A service the lab can bring up."""

    name: str
    title: str
    up: Callable[[Table, Dataset, RowsLoaded], AbstractContextManager[RunningService]]
    """brings it up with the dataset loaded, and down again; raises Problem"""
