"""The result of one trial, from its record and its findings."""

from collections.abc import Sequence

from fairtrial.judge.checks.model import Finding, refusing
from fairtrial.judge.metrics.metric import times_of
from fairtrial.judge.metrics.readings import server_cpu_seconds_per_1000_requests, supported_percentile
from fairtrial.judge.model import EngineUse, Goodput, ServerUse, Times, TrialResult
from fairtrial.judge.outcome import trial_outcome
from fairtrial.record.engine_summary import Distribution, EngineSummary
from fairtrial.record.model import TrialRecord
from fairtrial.record.placement import Placement


def judge_trial(trial: TrialRecord, findings: Sequence[Finding], placement: Placement) -> TrialResult:
    """The trial's entry in the result: figures only if it is valid; errors, findings and the engine's use always."""
    outcome, reason, remedy = trial_outcome(trial, findings)
    engine = trial.engine
    measured = engine if outcome == "valid" else None
    return TrialResult(
        index=trial.index,
        block=trial.block,
        lane=trial.lane,
        outcome=outcome,
        reason=reason,
        remedy=remedy,
        goodput=_goodput(trial) if outcome == "valid" and not refusing("goodput", findings) else None,
        response_time=None if measured is None else _times("response_time", trial, measured, findings),
        service_time=None if measured is None else _times("service_time", trial, measured, findings),
        errors={} if engine is None else engine.errors,
        findings=list(findings),
        server=_server_use(trial, findings) if outcome == "valid" else None,
        not_measured=trial.not_measured,
        engine=None if engine is None else _engine_use(engine, placement.load_processors),
        log=trial.log,
    )


def _goodput(trial: TrialRecord) -> Goodput | None:
    if trial.program is not None:
        return Goodput(per_second=trial.program.operations_per_second)
    return None if trial.engine is None else Goodput(per_second=trial.engine.goodput_per_second)


def _times(kind: str, trial: TrialRecord, engine: EngineSummary, findings: Sequence[Finding]) -> Times:
    """Times of one kind: the median of all that the trial's figures rest on, and those of the tail from its window."""
    times = times_of(engine, kind)
    tail = None if trial.tail_engine is None else times_of(trial.tail_engine, kind)
    assert times is not None  # of all requests they are always kept
    bounds = [each.at_least.min_seconds for each in (times, tail) if each is not None and each.at_least is not None]
    return Times(
        samples=times.count,
        p50_seconds=_percentile(kind, "50", times, findings),
        p99_seconds=_percentile(kind, "99", tail, findings),
        max_seconds=None if tail is None or refusing(f"{kind}_max", findings) else tail.max_seconds,
        at_least_seconds=min(bounds, default=None),
    )


def _percentile(kind: str, percentile: str, times: Distribution | None, findings: Sequence[Finding]) -> float | None:
    if times is None or refusing(f"{kind}_p{percentile}", findings):
        return None
    return supported_percentile(times, percentile)


def _server_use(trial: TrialRecord, findings: Sequence[Finding]) -> ServerUse | None:
    if trial.server is None:
        return None
    return ServerUse(
        cpu_seconds=trial.server.cpu_seconds,
        cpu_seconds_per_1000_requests=None
        if refusing("server_cpu_per_1000_requests", findings)
        else server_cpu_seconds_per_1000_requests(trial),
        peak_rss_bytes=trial.server.peak_rss_bytes,
        processes=trial.server.processes,
        memory_kind=trial.server.memory_kind,
    )


def _engine_use(engine: EngineSummary, processors: int) -> EngineUse:
    return EngineUse(
        driver=engine.driver,
        wait=engine.wait,
        window_seconds=engine.window_seconds,
        cpu_seconds=sum(thread.cpu_seconds for thread in engine.threads),
        busiest_thread_share=engine.busiest_thread_share,
        busiest_processor_share=engine.busiest_processor_share(processors),
        in_flight_at_end=engine.in_flight_at_end,
        checked_bodies=engine.checked_bodies,
        addresses=engine.routes.addresses if engine.routes is not None else [],
    )
