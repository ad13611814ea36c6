"""A search for the capacity, as a trial's record keeps it."""

from pydantic import Field

from fairtrial.base.strict import Strict


class ObjectiveMet(Strict):
    """Whether one probe of a search for the capacity met one objective."""

    objective: str
    met: bool
    why_not: str | None = None
    late_share: float | None = Field(
        None,
        description="where it was missed only as requests were sent late, although a connection was free: the part of "
        "its percentile that passed before they were sent; null: it was met, or missed anyway, or an older record",
    )


class Probe(Strict):
    """One run of a search for the capacity."""

    rate_per_second: float
    seconds: float
    confirming: bool = Field(description="true: a full run that confirms the rate found; false: a short run")
    achieved_over_offered: float | None
    answered_share: float | None = Field(
        None,
        description="of the requests intended in the window, answered in it or in the drain; null in older records",
    )
    percentiles_seconds: dict[str, float | None] = Field(description="of response time; null with too few samples")
    at_least_seconds: float | None = Field(
        None, description="a percentile at or above it is a lower bound; null: all are exact, or an older record"
    )
    error_share: float
    busiest_thread_share: float = Field(description="of the load engine")
    objectives: list[ObjectiveMet]


class CapacityFound(Strict):
    """The highest rate at which one objective held over a full run."""

    objective: str
    rate_per_second: float | None = Field(description="null if it did not hold even at the lowest rate")
    missed_per_second: float | None = Field(
        None, description="the lowest rate above it at which it did not hold; null: there is none, or an older record"
    )
    at_the_top: bool = Field(False, description="it still held at the highest rate tried")


class CapacitySearch(Strict):
    """A trial's search for the capacity: all probes, and the capacity found for each objective."""

    probes: list[Probe]
    found: list[CapacityFound]
