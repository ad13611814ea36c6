"""What a workload is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.clause import ClauseTest
from fairtrial.catalog.tables import Data
from fairtrial.engine.plan import Request
from fairtrial.experiment.model import DatasetOptions


class NoOptions(Strict):
    """A workload that has no `[options]`."""


@dataclass(frozen=True)
class Work:
    """What one verified answer implies at least, in the ledger's words: see `record.model.Ledger`.

    A stack that does more than it must is slower by its own choice; one that does less has not done the work.
    """

    reads: float = 0.0
    rows_read: float = 0.0
    writes: float = 0.0
    rows_written: float = 0.0
    commits: float = 0.0
    calls: float = 0.0
    tasks: float = 0.0


class StoredRows(Protocol):
    """What an audit reads: a part of `services.model.RunningService`."""

    def rows(self, table: str) -> Any:
        """All rows of a table, as dictionaries by column name."""


@dataclass(frozen=True)
class Acknowledged:
    """Which of an engine run's numbered requests were answered as they should be: docs/engine-protocol.md, "writes".

    Of the request `name`, the numbers from 1 to `begun[name]` were sent; those in `not_acknowledged[name]` had no
    right answer.
    """

    begun: Mapping[str, int]
    not_acknowledged: Mapping[str, frozenset[int]]

    @property
    def count(self) -> int:
        """How many requests were acknowledged."""
        return sum(begun - len(self.not_acknowledged[name]) for name, begun in self.begun.items())


@dataclass(frozen=True)
class Fault:
    """One kind of difference between what was acknowledged and what is stored."""

    kind: Literal["missing", "doubled", "altered", "unasked"]
    count: int
    example: str


@dataclass(frozen=True)
class Freshness:
    """A row that the lab changes while the stack serves, and where its new value has to show.

    `path(key)`: what to GET; the changed text must be in the answer's body or its Location header.
    """

    table: str
    column: str
    path: Callable[[Data, int], str]
    during_load: bool = True
    """false where the engine expects the very text of an answer: then rows change when the load has ended, with the
    stack still up"""


@dataclass(frozen=True)
class Workload:
    """What is asked and what must be true of the answers; what an experiment decides is a function of its options."""

    name: str
    title: str
    services: Sequence[str]
    """those that it makes sense on; "none" is no database"""
    data: Callable[[DatasetOptions, Any], Data]
    requests: Callable[[Data, Any], list[Request]]
    clauses: Sequence[ClauseTest]
    operations: Callable[[Any], int] | None = None
    """of a job that programs do, in place of servers that are asked; None: servers are asked"""
    least_seconds: Callable[[Any], float] = lambda _options: 0.0
    """of a job: what waiting alone takes, with as many at once as the options allow"""
    tried_under: Sequence[Mapping[str, Any]] = ({},)
    """of a job: the options under which `fairtrial check` has it done, one after the other"""
    rows: int = 0
    """of the dataset, where an experiment does not say; 0: it has none, or one of fixed size"""
    options: type[Strict] = NoOptions
    work: Callable[[Any], Work] = lambda _options: Work()
    writes: bool = False
    """whether tables are changed, so that each trial begins with new ones"""
    audit: Callable[[Data, Any, Acknowledged, StoredRows], tuple[int, list[Fault]]] | None = None
    """how many rows are stored, and what is wrong with them"""
    freshness: Freshness | None = None
    cache: Sequence[str] = ()
    """services of which one stands beside the database as a cache; empty: it needs none"""
    upstream: Callable[[Any], Sequence[str]] | None = None
    """arguments of the engine's target that serves as upstream; None: it needs none"""
    gathers: bool = False
    """of a job: whether each operation is a task that says that it is there, and waits until all are"""
    environment: Callable[[Any], Mapping[str, str]] = lambda _options: {}
    """further variables that stacks get"""
