"""Workload `query-batch`: a job for programs, long queries each followed by short ones, over a pool of connections.

There is no HTTP: it compares how runtimes and their drivers wait.
"""

import math
from collections.abc import Mapping

from pydantic import Field

from fairtrial.catalog.tables import Data, LiteralRows, Table
from fairtrial.catalog.workloads import long_query
from fairtrial.catalog.workloads.long_query import LongQueryOptions
from fairtrial.catalog.workloads.model import ProgramWorkload, Work
from fairtrial.experiment.model import DatasetOptions

BACKGROUND = Table(
    name="background",
    columns={"id": "key", "payload": "text"},
    rows=LiteralRows(["id", "payload"], [(key, "as loaded") for key in range(1, 17)]),
)
"""The rows that the lab changes beside the program, if the options say so."""


class Options(LongQueryOptions):
    """`[options]` of query-batch."""

    long_queries: int = Field(10, ge=0, le=100_000)
    short_per_long: int = Field(10, ge=0, le=100_000, description="short queries after each long one")
    pool: int = Field(12, ge=1, le=256, description="connections")
    tasks: int | None = Field(
        None, ge=1, le=10_000, description="threads, fibers or goroutines that share the pool; null: one a connection"
    )

    background: bool = Field(False, description="a job of the lab's own keeps the database's disk busy meanwhile")

    @property
    def concurrency(self) -> int:
        """How many tasks there are."""
        return self.tasks or self.pool


def data(dataset: DatasetOptions, options: Options) -> Data:
    """The rows of the lab's own job, and the rate of the work, as far as the options have them."""
    return Data([*long_query.data(dataset, options).tables, *([BACKGROUND] if options.background else [])])


def work(options: Options) -> Work:
    """A read for each query, and the time of the long ones; the lab's own job, if any, has to have done something."""
    return Work(
        reads=1.0,
        background_commits=1 / max(1, operations(options)) if options.background else 0.0,
        statement_milliseconds=1e3 * options.least_seconds / (1 + options.short_per_long),
    )


def work_in_tables(options: Options) -> Mapping[str, float]:
    """The long queries that read the rate of their work."""
    return {name: count / (1 + options.short_per_long) for name, count in options.rate_reads.items()}


def operations(options: Options) -> int:
    """The number of long and short queries."""
    return options.long_queries * (1 + options.short_per_long)


def least_seconds(options: Options) -> float:
    """The long queries one after the other, `pool` of them at a time: the database never sleeps for less.

    With fewer tasks than connections, as many at a time as there are tasks.
    """
    at_once = min(options.pool, options.concurrency)
    return math.ceil(options.long_queries / at_once) * options.sleeping_seconds


def environment(options: Options) -> Mapping[str, str]:
    """The job, as the variables of docs/stack-contract.md."""
    return {
        "LONG_QUERIES": str(options.long_queries),
        "SHORT_PER_LONG": str(options.short_per_long),
        "LONG_MILLISECONDS": str(options.long_milliseconds),
        "DB_POOL": str(options.pool),
        "CONCURRENCY": str(options.concurrency),
        **long_query.environment(options),
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
    work_in_tables=work_in_tables,
    background=lambda options: BACKGROUND if options.background else None,
    least_seconds=least_seconds,
    options_under=options_under,
    only_waits=lambda options: options.work_share == 0 and options.short_per_long == 0,
    environment=environment,
)
