"""The load that options ask for: one of those that experiments have, and what only `fairtrial load` can ask for."""

from dataclasses import dataclass, replace
from typing import Any

from fairtrial.load.closed import ClosedLoad
from fairtrial.load.engine_terms import EngineTerms
from fairtrial.load.open import OpenLoad
from fairtrial.load.ramp import RampLoad
from fairtrial.load.request_load import NO_OPTIONS, CommandOptions
from fairtrial.load.steps import LoadStep, StepsLoad
from fairtrial.tools.load.request.options import LoadOptions

DEFAULT_SECONDS = 10.0
WARMUP_SECONDS = 1.0
CLOSED_CONNECTIONS = 16
OPEN_CONNECTIONS = 64


@dataclass(frozen=True)
class CommandLoad:
    """A load of a single run, and what it has beyond one of an experiment."""

    load: ClosedLoad | OpenLoad | RampLoad | StepsLoad
    beyond: CommandOptions = NO_OPTIONS

    def describe(self) -> str:
        """The load with its length: `closed, 16 connections, keep-alive, 10 s`."""
        return f"{self.load.describe(self.beyond)}, {self.load.lengths(self.beyond)}"

    def engine_terms(self) -> EngineTerms:
        """All that it decides of an engine's plan."""
        return self.load.engine_terms(self.beyond)

    def over_websocket(self, in_flight: int) -> "CommandLoad":
        """The same load, of messages: so many are on their way at once on each connection."""
        return CommandLoad(self.load.model_copy(update={"streams": in_flight}), replace(self.beyond, websocket=True))

    @property
    def window_seconds(self) -> float | None:
        """The planned length of the window; None if a number of requests ends it."""
        return None if self.beyond.requests is not None else self.load.window_seconds

    @property
    def is_of_experiments(self) -> bool:
        """Whether an experiment could have it: without think time, a pipeline or a count."""
        beyond = self.beyond
        return not beyond.think_seconds and beyond.pipeline == 1 and beyond.requests is None


def load_of(options: LoadOptions, *, tls: bool) -> CommandLoad:
    """The load of these options; where they contradict each other, that of some of them.

    It is not held against the limits of an experiment file: options have their own. A load that has an end of its own
    is measured from its first request on, unless the options say otherwise.
    """
    changes, is_open = options.ramp or options.steps, options.ramp or options.steps or options.rate
    warmup_seconds = 0.0 if changes or options.requests else WARMUP_SECONDS
    shared: dict[str, Any] = {
        "connections": options.connections or (OPEN_CONNECTIONS if is_open else CLOSED_CONNECTIONS),
        "warmup_seconds": warmup_seconds if options.warmup_seconds is None else options.warmup_seconds,
        "warmup_limit_seconds": options.warmup_limit_seconds,
        "keep_alive": not options.no_keepalive and options.requests_per_connection is None,
        "http2": options.http2,
        "http3": options.http3,
        "streams": options.streams or 1,
        "idle_connections": options.idle_connections,
        "timeout_seconds": options.timeout_seconds,
        "trace_share": options.trace_share,
    }
    patience: dict[str, Any] = {"drain_seconds": options.drain_seconds, "deadline_seconds": options.deadline_seconds}
    seconds = options.seconds or DEFAULT_SECONDS
    load: ClosedLoad | OpenLoad | RampLoad | StepsLoad
    if options.ramp is not None:
        start, end = options.ramp
        load = RampLoad.model_construct(
            kind="ramp", from_per_second=start, to_per_second=end, duration_seconds=seconds, **patience, **shared
        )
    elif options.steps is not None:
        steps = [LoadStep(**step._asdict()) for step in options.steps]
        load = StepsLoad.model_construct(kind="steps", steps=steps, **patience, **shared)
    elif options.rate is not None:
        arrivals = options.arrival or "constant"
        load = OpenLoad.model_construct(
            kind="open", rate_per_second=options.rate, arrivals=arrivals, duration_seconds=seconds, **patience, **shared
        )
    else:
        load = ClosedLoad.model_construct(duration_seconds=seconds, **shared)
    return CommandLoad(
        load,
        CommandOptions(
            think_seconds=options.think_seconds or 0.0,
            requests=options.requests,
            requests_per_connection=options.requests_per_connection,
            pipeline=options.pipeline,
            tls=tls,
        ),
    )
