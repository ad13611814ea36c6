"""A closed load: clients that each wait for their answer."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from fairtrial.base.formatting import count
from fairtrial.load.engine_terms import Closed
from fairtrial.load.request_load import NO_OPTIONS, CommandOptions, OneRunLoad, Seconds


class WithoutArrivals(OneRunLoad):
    """A load whose next requests answers decide, so that none is owed when its window ends."""

    @model_validator(mode="before")
    @classmethod
    def _no_drain(cls, values: Any) -> Any:
        if isinstance(values, dict) and "drain_seconds" in values:
            raise ValueError(
                'drain_seconds: only kind = "open", "ramp", "steps" and "capacity" have requests that are due whatever '
                "the answers do, and await the rest of them: leave the key out, or choose such a kind"
            )
        return values

    @property
    def clients(self) -> int:
        """One for each request in flight."""
        return self.most_in_flight

    def engine_load(self, options: CommandOptions = NO_OPTIONS) -> Closed:
        """In the engine's terms."""
        return Closed(connections=self.connections, think_time_seconds=options.think_seconds)


class ClosedLoad(WithoutArrivals):
    """`connections` clients, each of which sends its next request when its last answer is complete."""

    kind: Literal["closed"] = "closed"
    duration_seconds: Seconds = 3.0
    local_ports: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="so many connects of the window succeed; a client whose connect fails is not heard of again, as "
        "one of wrk is when its host has no local port left; null: all",
    )

    @model_validator(mode="after")
    def _ports_of_http1(self) -> Self:
        if self.local_ports is not None and self.has_streams:
            raise ValueError(
                f"local_ports: they are counted over HTTP/1.1 alone: leave `local_ports` or `{self.protocol_key}` out"
            )
        return self

    @property
    def can_be_sliced(self) -> bool:
        """It can."""
        return True

    @property
    def loses_clients(self) -> bool:
        """Where local ports are counted."""
        return self.local_ports is not None

    @property
    def window_seconds(self) -> float:
        """The duration."""
        return self.duration_seconds

    def engine_load(self, options: CommandOptions = NO_OPTIONS) -> Closed:
        """In the engine's terms."""
        return super().engine_load(options).model_copy(update={"local_ports": self.local_ports})

    def _pace_in_words(self) -> str:
        return "closed"

    def _limits_in_words(self) -> list[str]:
        return [] if self.local_ports is None else [f"only {count(self.local_ports, 'local port')}"]
