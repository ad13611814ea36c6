"""What a workload is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairtrial.contract.clause import ClauseTest
from fairtrial.engine.dataset import Dataset, DatasetSpec
from fairtrial.engine.plan import Request
from fairtrial.experiment.model import DatasetOptions


@dataclass(frozen=True)
class Table:
    """Where a dataset's rows lie in a relational database, columns in the order of the dataset's fields."""

    name: str
    columns: Sequence[tuple[str, str]]
    """(name, kind); a kind is `key`, `integer`, `text` or `time`: each database has its own type for it"""
    unique: Sequence[str]
    """columns with a unique index of their own"""


@dataclass(frozen=True)
class Workload:
    """What is asked and what must be true of the answers."""

    name: str
    title: str
    table: Table
    dataset: Callable[[DatasetOptions], DatasetSpec]
    requests: Callable[[Dataset], list[Request]]
    clauses: Sequence[ClauseTest]
