"""The checks of `fairtrial run` that need nothing but a measured load, called on one load by itself."""

from fairtrial.engine.plan import Closed, Constant, EnginePlan, Poisson, Ramp, Steps, StopAfterRequests
from fairtrial.experiment.loads import ClosedLoad, Load, OpenLoad
from fairtrial.judge.checks import run_load_checks
from fairtrial.judge.checks.model import Finding
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.machine import NetworkMeter
from fairtrial.record.model import TrialRecord

CONDITION = "load"
SHORTEST_WINDOW_SECONDS = 0.5
"""Little's law is asked of windows from this length on: threads open and close theirs some milliseconds apart, as the
threshold of the check `littles-law` says."""


def examine_load(
    plan: EnginePlan, summary: EngineSummary, network: NetworkMeter | None, capacity: CapacitySearch | None
) -> list[Finding]:
    """What the checks find in a load, the gravest first."""
    if isinstance(plan.load, Ramp | Steps):  # they are not stationary by intent
        summary = summary.model_copy(update={"series": []})
    measured = TrialRecord(
        index=1, block=1, condition=CONDITION, started_at="", engine=summary, network=network, capacity=capacity
    )
    load = as_in_an_experiment(plan) if summary.window_seconds >= SHORTEST_WINDOW_SECONDS else None
    findings = run_load_checks([measured], {} if load is None else {CONDITION: load}, len(plan.cpus))
    gravity = {"refusal": 0, "warning": 1, "note": 2}
    return sorted(findings, key=lambda finding: gravity[finding.severity])


def as_in_an_experiment(plan: EnginePlan) -> Load | None:
    """The load as an experiment would have it; None if none can: think time, a pipeline, ramps, a count."""
    load, keep_alive = plan.load, plan.requests_per_connection is None
    if plan.pipeline > 1 or isinstance(plan.stop, StopAfterRequests):
        return None
    streams = 1 if plan.http2 is None else plan.http2.streams
    if isinstance(load, Closed) and not load.think_time_seconds:
        return ClosedLoad(
            connections=load.connections, keep_alive=keep_alive, http2=plan.http2 is not None, streams=streams
        )
    if isinstance(load, Constant | Poisson):
        return OpenLoad(
            kind="open",
            rate_per_second=load.rate_per_second,
            arrivals=load.kind,
            connections=load.connections,
            keep_alive=keep_alive,
            http2=plan.http2 is not None,
            streams=streams,
        )
    return None
