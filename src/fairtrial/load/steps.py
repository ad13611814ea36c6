"""An open load of one rate after the other."""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field, model_validator

from fairtrial.base.strict import Strict
from fairtrial.load.engine_terms import OfferedStep, Steps
from fairtrial.load.open import ChangingRate
from fairtrial.load.request_load import NO_OPTIONS, CommandOptions
from fairtrial.load.words import describe_seconds, exact

SHORTEST_SECONDS, LONGEST_SECONDS = 0.001, 86_400.0


class LoadStep(Strict):
    """A rate, and for how long it is offered."""

    rate_per_second: float = Field(ge=0, le=10_000_000, description="0: a pause")
    seconds: float = Field(ge=SHORTEST_SECONDS, le=LONGEST_SECONDS)


class StepsLoad(ChangingRate):
    """Rates that follow each other, each for its time: the window is as long as all of them."""

    kind: Literal["steps"]
    steps: list[LoadStep] = Field(min_length=1, max_length=1000)

    @model_validator(mode="after")
    def _sends(self) -> Self:
        if not any(step.rate_per_second for step in self.steps):
            raise ValueError("steps: every rate_per_second is 0: give one of them a rate")
        if self.window_seconds > LONGEST_SECONDS:
            raise ValueError("steps: they last more than a day together: shorten them")
        return self

    @property
    def mean_per_second(self) -> float:
        """All requests that are due, over the window."""
        return sum(step.rate_per_second * step.seconds for step in self.steps) / self.window_seconds

    @property
    def peak_per_second(self) -> float:
        """The highest of them."""
        return max(step.rate_per_second for step in self.steps)

    @property
    def window_seconds(self) -> float:
        """All steps together."""
        return sum(step.seconds for step in self.steps)

    def lasting(self, seconds: float) -> Self:
        """The same rates, with the same shares of the window."""
        factor = seconds / self.window_seconds
        steps = [
            step.model_copy(update={"seconds": max(step.seconds * factor, SHORTEST_SECONDS)}) for step in self.steps
        ]
        return self.model_copy(update={"steps": steps})

    def due_by_second(self, seconds: int) -> Sequence[float]:
        """For each step, its rate times the part of a second during which it lasts."""
        return [self._due(second) for second in range(seconds)]

    def _due(self, second: int) -> float:
        begin = total = 0.0
        for step in self.steps:
            end = begin + step.seconds
            total += step.rate_per_second * max(min(end, second + 1) - max(begin, second), 0.0)
            begin = end
        return total

    def engine_load(self, options: CommandOptions = NO_OPTIONS) -> Steps:  # noqa: ARG002
        """In the engine's terms."""
        steps = [OfferedStep(rate_per_second=step.rate_per_second, seconds=step.seconds) for step in self.steps]
        return Steps(steps=steps, connections=self.connections)

    def _pace_in_words(self) -> str:
        steps = (f"{exact(step.rate_per_second)}/s for {describe_seconds(step.seconds)}" for step in self.steps)
        return f"open, steps {', '.join(steps)}"

    def _length_in_words(self) -> str:
        return f"{describe_seconds(self.window_seconds)} in all"
