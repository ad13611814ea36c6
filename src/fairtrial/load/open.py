"""An open load: requests begin at a given rate. Also what it has in common with those whose rate changes."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from fairtrial.load.engine_terms import Constant, Poisson
from fairtrial.load.request_load import NO_OPTIONS, CommandOptions, OneRunLoad, Seconds
from fairtrial.load.words import describe_seconds, exact

Arrivals = Literal["poisson", "constant"]
Drain = Annotated[
    float | None,
    Field(
        ge=0,
        le=3600,
        description="how long answers that are owed at the window's end are awaited, at most; null: as long as the "
        "engine does by itself (docs/engine-protocol.md, The cohort)",
    ),
]
Deadline = Annotated[
    float | None,
    Field(
        ge=0.001,
        le=3600,
        description="a request that has been due for longer is not sent, and is an error of the kind `deadline`; null: "
        "it is sent, however late",
    ),
]


class WithArrivals(OneRunLoad):
    """A load whose requests begin by a schedule; response times count from when each was due."""

    connections: int = Field(256, ge=1, le=60_000, description="at most so many requests are under way at once")

    @property
    def is_open(self) -> bool:
        """It is."""
        return True

    def _limits_in_words(self) -> list[str]:
        _, late = self._patience()
        return [] if late is None else [f"not sent when due for more than {describe_seconds(late)}"]


class OpenLoad(WithArrivals):
    """Requests begin at a given rate, whatever the answers do; response times count from when each was due."""

    kind: Literal["open"]
    rate_per_second: float = Field(gt=0, le=10_000_000)
    arrivals: Arrivals = Field(
        "poisson", description="poisson: at random, as from independent callers; constant: at equal distances"
    )
    duration_seconds: Seconds = 3.0
    drain_seconds: Drain = None
    deadline_seconds: Deadline = None

    @property
    def can_be_sliced(self) -> bool:
        """It can."""
        return True

    @property
    def offered_per_second(self) -> float:
        """The rate."""
        return self.rate_per_second

    @property
    def has_random_arrivals(self) -> bool:
        """With Poisson arrivals."""
        return self.arrivals == "poisson"

    @property
    def window_seconds(self) -> float:
        """The duration."""
        return self.duration_seconds

    def due_by_second(self, seconds: int) -> Sequence[float]:
        """The same in each."""
        return [self.rate_per_second] * seconds

    def engine_load(self, options: CommandOptions = NO_OPTIONS) -> Constant | Poisson:  # noqa: ARG002
        """In the engine's terms."""
        kind = Poisson if self.arrivals == "poisson" else Constant
        return kind(rate_per_second=self.rate_per_second, connections=self.connections)

    def _pace_in_words(self) -> str:
        arrivals = "Poisson" if self.arrivals == "poisson" else self.arrivals
        return f"open, {exact(self.rate_per_second)} requests/s, {arrivals} arrivals"

    def _patience(self) -> tuple[float | None, float | None]:
        return self.drain_seconds, self.deadline_seconds


class ChangingRate(WithArrivals):
    """An open load whose rate changes in its window. Its warm-up runs at the first rate, which may show nothing: it has
    its length, whatever the pace, unless a limit is set."""

    warmup_seconds: float = Field(0.0, ge=0, le=3600, description="as of a closed load, at the first rate")
    drain_seconds: Drain = None
    deadline_seconds: Deadline = None

    @property
    def is_stationary(self) -> bool:
        """By intent it is not."""
        return False

    @property
    def longest_warmup_seconds(self) -> float:
        """As long as the warm-up is, unless a limit is set."""
        return (self.warmup_limit_seconds or self.warmup_seconds) if self.warmup_seconds else 0.0

    def _warmup_limit_seconds(self) -> float | None:
        return self.warmup_limit_seconds if self.warmup_seconds else None

    def _patience(self) -> tuple[float | None, float | None]:
        return self.drain_seconds, self.deadline_seconds
