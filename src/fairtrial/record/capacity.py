"""What a search for the capacity leaves in a trial's record."""

from pydantic import Field

from fairtrial.base.strict import Strict


class ObjectiveMet(Strict):
    """Whether one probe of a search for the capacity kept to one objective."""

    objective: str
    met: bool
    why_not: str | None = None


class Probe(Strict):
    """One run of a search for the capacity."""

    rate_per_second: float
    seconds: float
    confirming: bool = Field(description="a full run that confirms what the search found, not a short one")
    achieved_over_offered: float | None
    percentiles_seconds: dict[str, float | None] = Field(description="of response time; null without support")
    error_share: float
    busiest_thread_share: float = Field(description="of the load engine")
    objectives: list[ObjectiveMet]


class CapacityFound(Strict):
    """The highest rate at which one objective held over a full run."""

    objective: str
    rate_per_second: float | None = Field(description="null if it did not even hold at the lowest rate")
    at_the_top: bool = Field(False, description="it still held at the highest rate that was tried")


class CapacitySearch(Strict):
    """A trial's search for the capacity, probe by probe, and what it found."""

    probes: list[Probe]
    found: list[CapacityFound]
