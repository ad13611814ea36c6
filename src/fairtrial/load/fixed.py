"""A closed load of a fixed number of requests."""

from typing import Literal, Self

from pydantic import Field, model_validator

from fairtrial.base.formatting import count
from fairtrial.load.closed import ClosedLoad, WithoutArrivals

LASTS_SECONDS = 5.0
"""A guess at how long a given number of requests takes, until trials have been seen."""


class FixedLoad(WithoutArrivals):
    """A closed load of a fixed number of requests; measured from the first to the last of them.

    With as many connections as requests, all of them are sent at once.
    """

    kind: Literal["fixed"]
    requests: int = Field(ge=1, le=1_000_000_000)
    warmup_seconds: float = Field(0.0, ge=0, le=3600, description="as of a closed load")

    @model_validator(mode="after")
    def _no_idle_connections(self) -> Self:
        if self.most_in_flight > self.requests:
            at_once = f"connections: {self.connections}" + (
                f" with {self.streams} streams each" if self.has_streams else ""
            )
            raise ValueError(f"{at_once} are more than the {self.requests} requests")
        return self

    @property
    def fixed_requests(self) -> int:
        """As many as the file says."""
        return self.requests

    @property
    def planned_seconds(self) -> float:
        """A guess, until trials have been seen."""
        return self.warmup_seconds + LASTS_SECONDS

    def lasting(self, seconds: float) -> ClosedLoad:
        """Its clients, for a time in place of a number of requests."""
        return ClosedLoad(**self.model_dump(exclude={"kind", "requests"}), duration_seconds=seconds)

    def shortened(self, *, warmup_seconds: float, window_seconds: float, requests: int) -> Self:  # noqa: ARG002
        """Fewer requests, yet one for each client."""
        return self.model_copy(update={"requests": min(self.requests, max(requests, self.most_in_flight))})

    def _pace_in_words(self) -> str:
        return count(self.requests, "request")

    def _length_in_words(self) -> str:
        return "from the first request to the last"
