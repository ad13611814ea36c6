"""The load of an engine's plan in words, as it is printed beside every figure."""

from fairtrial.base.formatting import count
from fairtrial.engine.plan import (
    Closed,
    EngineLoad,
    EnginePlan,
    Ramp,
    Steps,
    StopAfterRequests,
    StopAfterSeconds,
)
from fairtrial.experiment.describe_load import (
    describe_closed,
    describe_deadline,
    describe_drain,
    describe_open,
    describe_ramp,
    describe_rate,
    describe_seconds,
    describe_steps,
    describe_warmup,
)


def describe_plan(plan: EnginePlan) -> str:
    """The load with its length: `closed, 16 connections, keep-alive, 10 s`."""
    streams = None if plan.http2 is None else plan.http2.streams
    parts = [_load(plan.load, plan.requests_per_connection, streams)]
    if plan.pipeline > 1:
        parts.append(f"{plan.pipeline} requests in flight per connection (pipelined)")
    if plan.tls is not None:
        parts.append("TLS")
    if plan.deadline_seconds is not None:
        parts.append(describe_deadline(plan.deadline_seconds))
    warmup = describe_warmup(plan.warmup_seconds, plan.warmup_limit_seconds or plan.warmup_seconds)
    length = _length(plan) + warmup + describe_drain(plan.drain_seconds)
    return ", ".join([*parts, length])


def window_seconds(plan: EnginePlan) -> float | None:
    """The planned length of the window; None if a number of requests ends it."""
    if isinstance(plan.stop, StopAfterSeconds):
        return plan.stop.seconds
    if plan.stop is None and isinstance(plan.load, Steps):
        return sum(step.seconds for step in plan.load.steps)
    return None


def _load(load: EngineLoad, requests_per_connection: int | None, streams: int | None) -> str:
    if isinstance(load, Closed):
        think = load.think_time_seconds
        return describe_closed(
            load.connections, think_seconds=think, requests_per_connection=requests_per_connection, streams=streams
        )
    if isinstance(load, Ramp):
        rate = describe_ramp(load.from_per_second, load.to_per_second)
    elif isinstance(load, Steps):
        rate = describe_steps([(step.rate_per_second, step.seconds) for step in load.steps])
    else:
        rate = describe_rate(load.rate_per_second, load.kind)
    return describe_open(rate, load.connections, requests_per_connection=requests_per_connection, streams=streams)


def _length(plan: EnginePlan) -> str:
    if isinstance(plan.stop, StopAfterRequests):
        return count(plan.stop.requests, "request")
    planned = window_seconds(plan)
    if planned is None:
        return "until it is ended"
    return describe_seconds(planned) + (" in all" if plan.stop is None else "")
