"""An open load whose rate changes linearly."""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from fairtrial.load.engine_terms import Ramp
from fairtrial.load.open import ChangingRate
from fairtrial.load.request_load import NO_OPTIONS, CommandOptions, Seconds
from fairtrial.load.words import exact


class RampLoad(ChangingRate):
    """A rate that goes from one to another over the window."""

    kind: Literal["ramp"]
    from_per_second: float = Field(ge=0, le=10_000_000)
    to_per_second: float = Field(ge=0, le=10_000_000)
    duration_seconds: Seconds = 3.0

    @model_validator(mode="after")
    def _changes(self) -> Self:
        if self.from_per_second == self.to_per_second:
            raise ValueError(
                "to_per_second: it is the same as from_per_second: choose another rate, or write "
                '`kind = "open"` and `rate_per_second`'
            )
        return self

    @property
    def mean_per_second(self) -> float:
        """The rate in the middle of the window."""
        return (self.from_per_second + self.to_per_second) / 2

    @property
    def peak_per_second(self) -> float:
        """The higher of both."""
        return max(self.from_per_second, self.to_per_second)

    @property
    def window_seconds(self) -> float:
        """The duration."""
        return self.duration_seconds

    def due_by_second(self, seconds: int) -> Sequence[float]:
        """The rate in the middle of each."""
        slope = (self.to_per_second - self.from_per_second) / self.duration_seconds
        return [self.from_per_second + slope * (second + 0.5) for second in range(seconds)]

    def engine_load(self, options: CommandOptions = NO_OPTIONS) -> Ramp:  # noqa: ARG002
        """In the engine's terms."""
        return Ramp(
            from_per_second=self.from_per_second, to_per_second=self.to_per_second, connections=self.connections
        )

    def _pace_in_words(self) -> str:
        return f"open, ramp from {exact(self.from_per_second)} to {exact(self.to_per_second)} requests/s"
