"""A stream of events that an answer must be: `expect.events`."""

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from fairtrial.base.strict import Strict
from fairtrial.base.units import parse_duration
from fairtrial.experiment.workload_file.normalisation import Pointer
from fairtrial.experiment.workload_file.texts import time_between

MEDIA_TYPE = "text/event-stream"
Stall = Annotated[str, time_between(0.001, 3600.0, 'from 1 ms to an hour: write one such as "500 ms"')]


def _sequence(text: str) -> str:
    if text != "id" and not text.startswith("/"):
        raise ValueError(f'{text!r}: write "id", or the JSON pointer of the number in the data, such as "/number"')
    return text


class Events(Strict):
    """Conditions for server-sent events, and which of them count."""

    count: int | list[int] | None = Field(None, description="how many, or the fewest and the most")
    sequence: Annotated[str, AfterValidator(_sequence)] | None = Field(
        None, description="where each has its number: `id`, or a JSON pointer in its data"
    )
    first: int = Field(0, ge=0, description="the number of the first one")
    content: Pointer | None = Field(None, description="only events with something at this JSON pointer count")
    last: str | None = Field(None, min_length=1, description="the data of the event that ends the stream")
    tokens: Pointer | None = Field(None, description="the JSON pointer of the number of tokens, in one of the events")
    stall: Stall = Field("1 s", description="a longer gap is a stall")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if isinstance(self.count, list) and (len(self.count) != 2 or self.count[0] > self.count[1]):
            raise ValueError("count: one number, or the fewest and the most, such as [1, 500]")
        if min(self.count_range) < 0:
            raise ValueError("count: a number of events is not negative")
        return self

    @property
    def count_range(self) -> tuple[int, ...]:
        """The fewest and the most; of any number, the fewest alone."""
        if self.count is None:
            return (0,)
        return (self.count, self.count) if isinstance(self.count, int) else tuple(self.count)

    @property
    def stall_seconds(self) -> float:
        """The longest gap that is no stall."""
        return parse_duration(self.stall)
