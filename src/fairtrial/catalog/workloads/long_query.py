"""Long queries, as the query workloads have in common: the database sleeps in them, or works, or does both."""

from collections.abc import Mapping

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.tables import WORK_FUNCTION, WORK_TABLE, Data, work_table
from fairtrial.experiment.model import DatasetOptions

LEAST_OF_WORK = 0.5
"""The least share of its time that work takes. The time that is set is what it takes alone on a processor at the speed
at which the lab measured it; none raises its clock to twice of that."""


class LongQueryOptions(Strict):
    """The keys of `[options]` that say how long a workload's queries are."""

    long_milliseconds: int = Field(100, ge=1, le=10_000)
    work_share: float = Field(
        0.0, ge=0, le=1, description="of a long query's time, the share in which the database works; it sleeps the rest"
    )

    @property
    def sleeping_seconds(self) -> float:
        """For how long the database sleeps in a long query."""
        return (1 - self.work_share) * self.long_milliseconds / 1e3

    @property
    def least_share(self) -> float:
        """The share of its time that a long query takes at least."""
        return 1 - (1 - LEAST_OF_WORK) * self.work_share

    @property
    def least_seconds(self) -> float:
        """For how long a long query sleeps and works at least."""
        return self.least_share * self.long_milliseconds / 1e3

    @property
    def rate_reads(self) -> Mapping[str, float]:
        """The rows that a long query reads: one that works reads its rate."""
        return {f"rows_read.{WORK_TABLE}": 1.0} if self.work_share else {}


def data(_dataset: DatasetOptions, options: LongQueryOptions) -> Data:
    """The rows that the database works by, or none."""
    return Data([work_table(options.work_share)] if options.work_share else [])


def environment(options: LongQueryOptions) -> Mapping[str, str]:
    """The name of the function that long queries call in place of the database's sleep, where they work."""
    return {"LONG_FUNCTION": WORK_FUNCTION} if options.work_share else {}
