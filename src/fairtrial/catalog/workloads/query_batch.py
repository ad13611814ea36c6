"""Workload `query-batch`: a job for programs, long queries each followed by short ones, over a pool of connections.

There is no HTTP: it compares how runtimes and their drivers wait.
"""

import math
from collections.abc import Mapping

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.tables import Data, LiteralRows, Table
from fairtrial.catalog.workloads.model import ProgramWorkload, Work
from fairtrial.experiment.model import DatasetOptions

BACKGROUND = Table(
    name="background",
    columns={"id": "key", "payload": "text"},
    rows=LiteralRows(["id", "payload"], [(key, "as loaded") for key in range(1, 17)]),
)
"""The rows that the lab changes beside the program, if the options say so."""


class Options(Strict):
    """`[options]` of query-batch."""

    long_queries: int = Field(10, ge=0, le=100_000)
    short_per_long: int = Field(10, ge=0, le=100_000, description="short queries after each long one")
    long_milliseconds: int = Field(100, ge=1, le=10_000)
    pool: int = Field(12, ge=1, le=256, description="connections")
    tasks: int | None = Field(
        None, ge=1, le=10_000, description="threads, fibers or goroutines that share the pool; null: one a connection"
    )

    background: bool = Field(False, description="a job of the lab's own keeps the database's disk busy meanwhile")

    @property
    def concurrency(self) -> int:
        """How many tasks there are."""
        return self.tasks or self.pool


def data(_dataset: DatasetOptions, options: Options) -> Data:
    """The rows of the lab's own job, or nothing."""
    return Data([BACKGROUND] if options.background else [])


def work(options: Options) -> Work:
    """A read for each query, and the sleeps of the long ones; the lab's own job, if any, has to have done something."""
    return Work(
        reads=1.0,
        background_commits=1 / max(1, operations(options)) if options.background else 0.0,
        statement_milliseconds=options.long_milliseconds / (1 + options.short_per_long),
    )


def operations(options: Options) -> int:
    """The number of long and short queries."""
    return options.long_queries * (1 + options.short_per_long)


def least_seconds(options: Options) -> float:
    """The long queries one after the other, `pool` of them at a time: the database never sleeps for less.

    With fewer tasks than connections, as many at a time as there are tasks.
    """
    at_once = min(options.pool, options.concurrency)
    return math.ceil(options.long_queries / at_once) * options.long_milliseconds / 1e3


def environment(options: Options) -> Mapping[str, str]:
    """The job, as the variables of docs/stack-contract.md."""
    return {
        "LONG_QUERIES": str(options.long_queries),
        "SHORT_PER_LONG": str(options.short_per_long),
        "LONG_MILLISECONDS": str(options.long_milliseconds),
        "DB_POOL": str(options.pool),
        "CONCURRENCY": str(options.concurrency),
    }


def options_under(options: Options, numbers: Mapping[str, int]) -> Options:
    """The options with the pool and the tasks of these variables."""
    pool, tasks = numbers.get("DB_POOL", options.pool), numbers.get("CONCURRENCY", options.concurrency)
    return options.model_copy(update={"pool": pool, "tasks": tasks})


WORKLOAD = ProgramWorkload(
    name="query-batch",
    title="a batch of long and short queries, by a program",
    services=("postgresql", "mariadb"),
    options=Options,
    data=data,
    operations=operations,
    work=work,
    background=lambda options: BACKGROUND if options.background else None,
    least_seconds=least_seconds,
    options_under=options_under,
    only_waits=lambda options: options.short_per_long == 0,
    environment=environment,
)
