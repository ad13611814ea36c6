"""The load model in words, as it is printed beside every figure."""

from fairtrial.base.formatting import count, plain
from fairtrial.engine.plan import (
    Closed,
    Constant,
    EngineLoad,
    EnginePlan,
    Poisson,
    Ramp,
    Steps,
    StopAfterRequests,
    StopAfterSeconds,
)


def describe_load(plan: EnginePlan) -> str:
    """`closed, 16 connections, keep-alive, 10 s`, `open, constant 2,000 requests/s, up to 64 connections, …`."""
    parts = [_model(plan.load), _reuse(plan.requests_per_connection)]
    if plan.pipeline > 1:
        parts.append(f"{plan.pipeline} requests in flight a connection (pipelined)")
    if plan.tls is not None:
        parts.append("TLS")
    until = _until(plan)
    if plan.warmup_seconds:
        until += f" after {seconds(plan.warmup_seconds)} of warm-up"
    return ", ".join([*parts, until])


def seconds(value: float) -> str:
    """`10 s`, `250 ms`."""
    return f"{plain(value)} s" if value >= 1 else f"{plain(value * 1e3)} ms"


def window_seconds(plan: EnginePlan) -> float | None:
    """How long the window is planned to last; None if a count ends it."""
    if isinstance(plan.stop, StopAfterSeconds):
        return plan.stop.seconds
    if plan.stop is None and isinstance(plan.load, Steps):
        return sum(step.seconds for step in plan.load.steps)
    return None


def is_open(load: EngineLoad) -> bool:
    """True if requests begin by a schedule, whatever the answers do."""
    return not isinstance(load, Closed)


def _model(load: EngineLoad) -> str:
    if isinstance(load, Closed):
        think = f", {seconds(load.think_time_seconds)} to think" if load.think_time_seconds else ""
        return f"closed, {count(load.connections, 'connection')}{think}"
    pool = f"up to {count(load.connections, 'connection')}"
    if isinstance(load, Constant):
        return f"open, constant {plain(load.rate_per_second)} requests/s, {pool}"
    if isinstance(load, Poisson):
        return f"open, Poisson {plain(load.rate_per_second)} requests/s, {pool}"
    if isinstance(load, Ramp):
        return f"open, ramp from {plain(load.from_per_second)} to {plain(load.to_per_second)} requests/s, {pool}"
    rates = ", ".join(f"{plain(step.rate_per_second)}/s for {seconds(step.seconds)}" for step in load.steps)
    return f"open, steps {rates}, {pool}"


def _reuse(requests_per_connection: int | None) -> str:
    if requests_per_connection is None:
        return "keep-alive"
    if requests_per_connection == 1:
        return "one request a connection"
    return f"{requests_per_connection:,} requests a connection"


def _until(plan: EnginePlan) -> str:
    if isinstance(plan.stop, StopAfterRequests):
        return count(plan.stop.requests, "request")
    planned = window_seconds(plan)
    return "until it is ended" if planned is None else f"{seconds(planned)}{' in all' * (plan.stop is None)}"
