"""The flow of one trial. What goes wrong ends in the trial's record, with the stage it went wrong in."""

from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

from fairtrial.contract.every_stack import try_contract
from fairtrial.engine.plan import Closed, EnginePlan, StopAfterSeconds
from fairtrial.engine.run import run_engine
from fairtrial.experiment.model import ClosedLoad
from fairtrial.meters.machine import MachineWatch
from fairtrial.meters.network import NetworkWatch
from fairtrial.meters.tree import TreeMeter
from fairtrial.placement.cpus import bound_to
from fairtrial.problem import Problem
from fairtrial.record.model import (
    EngineSummary,
    Failure,
    Ledger,
    TrialRecord,
)
from fairtrial.services.model import Counters, RunningService
from fairtrial.trial.attended import Attended, Observed, Setting, Trial, TrialWatcher
from fairtrial.trial.audit import audit
from fairtrial.trial.contender import Contender, contender
from fairtrial.trial.freshness import SHORTEST_WINDOW_SECONDS, FreshnessTest, chosen_keys
from fairtrial.trial.ledger import ledger
from fairtrial.trial.program import run_program
from fairtrial.trial.ready_stack import ReadyStack
from fairtrial.trial.settle import settle


class StackEnded(Exception):
    """The stack ended by itself while it was needed."""


def run_trial(setting: Setting, trial: Trial, ready: ReadyStack, watcher: TrialWatcher) -> TrialRecord:
    """Run one trial on a freshly started stack.

    Whatever the stack or the database does ends in the record. KeyboardInterrupt stops the stack and is raised again.
    """
    name = trial.condition.service
    failure = ready.failure or setting.around.failures.get(name)
    observed = Observed(started_at=now(), failure=failure)
    log = setting.results / "logs" / f"{trial.index:03d}-{file_name(trial.condition.contender)}.log"
    if ready.folder is not None and failure is None:
        service = setting.around.running[name]
        try:
            if service.fault():  # it died in the trial before
                setting.around.bring_back(service)
            attended = Attended(setting, trial, ready, ready.folder, service, observed, log, watcher)
            with bound_to(setting.placement.load_cpus):
                if setting.workload.operations is not None:
                    run_program(attended, setting.workload.operations(setting.options))
                else:
                    _observe(attended)
            _bring_back(setting, service, observed)
        except Problem as problem:
            observed.failure = Failure(stage="service", reason=problem.reason, remedy=problem.remedy)
    if log.exists() and log.stat().st_size == 0:
        log.unlink()
    return trial_record(trial, observed, str(log.relative_to(setting.results)) if log.exists() else None)


def file_name(contender: str) -> str:
    """A contender's name as a part of a file's."""
    return contender.replace(":", "-").replace("@", "-on-")


def _bring_back(setting: Setting, service: RunningService, observed: Observed) -> None:
    """Every trial begins with the same rows."""
    fault = service.fault()
    if fault:
        raise Problem(fault, "the trial is worth nothing; the next one begins with a new one. See what it says above")
    if setting.workload.writes:
        setting.around.bring_back(service)
    elif service.altered():
        observed.dataset_altered = True
        setting.around.bring_back(service)


def trial_record(trial: Trial, observed: Observed, log: str | None = None) -> TrialRecord:
    """The record's line for what was observed of `trial`."""
    return TrialRecord(
        index=trial.index,
        block=trial.block,
        condition=trial.condition.id,
        log=log,
        **{name: value for name, value in vars(observed).items() if name != "stage_seconds"},
        stage_seconds={name: round(seconds, 3) for name, seconds in observed.stage_seconds.items()},
    )


def now() -> str:
    """The time as the record writes it: RFC 3339, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _observe(attended: Attended) -> None:
    setting, service, observed = attended.setting, attended.service, attended.observed
    workload, experiment = setting.workload, setting.experiment
    starting = contender(
        attended.ready,
        attended.folder,
        instances=experiment.instances,
        balancer=experiment.balancer,
        settings=setting.around.settings(service, workload.environment(setting.options)),
        cpus=setting.placement.server_cpus,
        log=attended.log,
    )
    with ExitStack() as held:
        try:
            with attended.stage("start"):
                running = held.enter_context(starting)
        except Problem as problem:
            observed.failure = Failure(stage="start", reason=problem.reason, remedy=problem.remedy)
            return
        before = _attend(attended, running)
    if observed.engine is not None and service.fault() is None:
        # Databases tell what a connection did at the latest when it has ended.
        observed.ledger = _ledger(before, service.counters(), observed.engine)
        with attended.stage("audit"):
            observed.audit = audit(workload, setting.data, setting.options, observed.engine, service)


def _attend(attended: Attended, running: Contender) -> Counters:
    """Try the contract, offer the load, wait for the database to settle, stop. Gives the counters before the load."""
    setting, service, observed = attended.setting, attended.service, attended.observed
    workload = setting.workload
    before: Counters = {}
    try:
        with attended.stage("contract"):
            clauses = try_contract(running.url, workload.clauses, setting.data, setting.options, running.listening())
            observed.contract.extend(clauses)
        if all(clause.passed for clause in observed.contract):
            before = service.counters()
            with attended.stage("load"):
                _load(attended, running)
            if workload.writes and service.pid is not None:
                with attended.stage("settle"):
                    observed.settle = settle(service, service.counters().get("writes"))
    except StackEnded:
        pass  # its exit status, read below, says so
    except Problem as problem:
        observed.failure = Failure(stage="load", reason=problem.reason, remedy=problem.remedy)
    finally:
        with attended.stage("stop"):
            observed.exit_status = running.status()
            observed.stop = running.stop()
    return before


def _ledger(before: Counters, after: Counters, engine: EngineSummary) -> Ledger | None:
    if engine.run_verified is None or engine.run_errors is None:
        return None
    answers = engine.run_verified + engine.run_errors
    return ledger(before, after, verified=engine.run_verified, answers=answers)


def _load(attended: Attended, running: Contender) -> None:
    setting, observed, service = attended.setting, attended.observed, attended.service
    workload, data = setting.workload, setting.data
    load = attended.trial.condition.load
    assert isinstance(load, ClosedLoad)
    cpus = setting.placement.load_cpus
    changing = workload.freshness
    keys: list[int] = []
    if changing is not None and (load.duration_seconds >= SHORTEST_WINDOW_SECONDS or not changing.during_load):
        keys = chosen_keys(changing, data, setting.experiment.seed + attended.trial.index)
    plan = EnginePlan(
        address=running.address,
        requests=workload.requests(data, setting.options),
        load=Closed(connections=load.connections),
        stop=StopAfterSeconds(seconds=load.duration_seconds),
        warmup_seconds=load.warmup_seconds,
        requests_per_connection=None if load.keep_alive else 1,
        timeout_seconds=load.timeout_seconds,
        threads=min(len(cpus), load.connections),
        cpus=cpus,
        dataset=data.dataset.spec if data.dataset else None,
        changing_rows=keys if keys and changing is not None and changing.during_load else None,
    )
    meters = [TreeMeter(*running.pids), *([TreeMeter(service.pid)] if service.pid is not None else [])]
    machine, network = MachineWatch(setting.placement.server_cpus), NetworkWatch()
    freshness = FreshnessTest(changing, data, keys, running.url, service) if changing is not None and keys else None

    def on_event(event: dict[str, Any]) -> None:
        if event["event"] == "window" and event["state"] == "opened":
            machine.open()
            network.open()
            for meter in meters:
                meter.open()
            if freshness is not None and changing is not None and changing.during_load:
                freshness.begin()
        elif event["event"] == "window":
            observed.server, observed.service = [meter.close() for meter in meters] + [None] * (2 - len(meters))
            observed.machine, observed.network = machine.close(), network.close()
        elif running.status() is not None:
            raise StackEnded
        elif fault := service.fault() or running.fault():
            raise Problem(fault, "the trial is worth nothing without it; the next one begins with a new one")
        attended.watcher.engine_event(event)

    try:
        observed.engine = run_engine(plan, on_event)
        if freshness is not None and changing is not None:
            if not changing.during_load:
                freshness.begin()
            observed.freshness = freshness.result()
    finally:
        for meter in meters:
            meter.abandon()
