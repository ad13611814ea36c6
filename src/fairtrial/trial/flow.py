"""The flow of one trial. What goes wrong ends in the trial's record, with the stage it went wrong in."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from fairtrial.contract.every_stack import try_contract
from fairtrial.engine.plan import Closed, EnginePlan, StopAfterSeconds
from fairtrial.engine.run import run_engine
from fairtrial.meters.tree import TreeMeter
from fairtrial.placement.cpus import bound_to
from fairtrial.problem import Problem
from fairtrial.record.model import (
    Clause,
    Condition,
    EngineSummary,
    Failure,
    Placement,
    ServerMeter,
    Stop,
    TrialRecord,
)
from fairtrial.services.model import RunningService
from fairtrial.stacks.run import RunningStack, start_stack
from fairtrial.stacks.settings import stack_settings
from fairtrial.tables import Data
from fairtrial.trial.ready_stack import ReadyStack
from fairtrial.workloads.model import Workload


class TrialWatcher(Protocol):
    """Is told how a trial goes on."""

    def stage(self, name: str) -> None:
        """A stage begins: `start`, `contract`, `load` or `stop`."""

    def engine_event(self, event: dict[str, Any]) -> None:
        """The engine said something: docs/engine-protocol.md."""


@dataclass(frozen=True)
class Setting:
    """What all trials of an experiment share."""

    workload: Workload
    options: Any
    """the workload's own"""
    data: Data
    service: RunningService
    placement: Placement
    results: Path


@dataclass(frozen=True)
class Trial:
    """One trial, planned."""

    index: int
    block: int
    condition: Condition


@dataclass
class Observed:
    """What is known of a trial so far."""

    started_at: str
    stage_seconds: dict[str, float] = field(default_factory=dict)
    contract: list[Clause] = field(default_factory=list)
    engine: EngineSummary | None = None
    server: ServerMeter | None = None
    exit_status: int | None = None
    stop: Stop | None = None
    dataset_altered: bool = False
    failure: Failure | None = None


class StackEnded(Exception):
    """The stack ended by itself while it was needed."""


def run_trial(setting: Setting, trial: Trial, ready: ReadyStack, watcher: TrialWatcher) -> TrialRecord:
    """Run one trial on a freshly started stack.

    Whatever the stack does ends in the record. KeyboardInterrupt stops the stack and is raised again.
    """
    observed = Observed(started_at=now(), failure=ready.failure)
    contender = trial.condition.contender.replace(":", "-")
    log = setting.results / "logs" / f"{trial.index:03d}-{contender}.log"
    if ready.folder is not None:
        with bound_to(setting.placement.load_cpus):
            _observe(setting, trial.condition, ready, ready.folder, observed, log, watcher)
        if setting.service.altered():
            observed.dataset_altered = True
            setting.service.reset()
    if log.exists() and log.stat().st_size == 0:
        log.unlink()
    return trial_record(trial, observed, str(log.relative_to(setting.results)) if log.exists() else None)


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


def _observe(
    setting: Setting,
    condition: Condition,
    ready: ReadyStack,
    folder: Path,
    observed: Observed,
    log: Path,
    watcher: TrialWatcher,
) -> None:
    @contextmanager
    def stage(name: str) -> Iterator[None]:
        watcher.stage(name)
        began = time.monotonic()
        try:
            yield
        finally:
            observed.stage_seconds[name] = time.monotonic() - began

    server_cpus = setting.placement.server_cpus
    try:
        with stage("start"):
            running = start_stack(
                ready.stack,
                ready.variant,
                folder,
                settings=stack_settings(setting.service.url, server_cpus),
                cpus=server_cpus,
                log=log,
            )
    except Problem as problem:
        observed.failure = Failure(stage="start", reason=problem.reason, remedy=problem.remedy)
        return
    try:
        with stage("contract"):
            clauses = try_contract(
                running.url, setting.workload.clauses, setting.data, setting.options, running.listening()
            )
            observed.contract.extend(clauses)
        if all(clause.passed for clause in observed.contract):
            with stage("load"):
                _load(setting, condition, running, observed, watcher)
    except StackEnded:
        pass  # its exit status, read below, says so
    except Problem as problem:
        observed.failure = Failure(stage="load", reason=problem.reason, remedy=problem.remedy)
    finally:
        with stage("stop"):
            observed.exit_status = running.process.status()
            observed.stop = running.process.stop()


def _load(
    setting: Setting, condition: Condition, running: RunningStack, observed: Observed, watcher: TrialWatcher
) -> None:
    load = condition.load
    cpus = setting.placement.load_cpus
    plan = EnginePlan(
        address=running.address,
        requests=setting.workload.requests(setting.data, setting.options),
        load=Closed(connections=load.connections),
        stop=StopAfterSeconds(seconds=load.duration_seconds),
        warmup_seconds=load.warmup_seconds,
        requests_per_connection=None if load.keep_alive else 1,
        timeout_seconds=load.timeout_seconds,
        threads=min(len(cpus), load.connections),
        cpus=cpus,
        dataset=setting.data.dataset.spec if setting.data.dataset else None,
    )
    meter = TreeMeter(running.process.pid)

    def on_event(event: dict[str, Any]) -> None:
        if event["event"] == "window" and event["state"] == "opened":
            meter.open()
        elif event["event"] == "window":
            observed.server = meter.close()
        elif running.process.status() is not None:
            raise StackEnded
        watcher.engine_event(event)

    try:
        observed.engine = run_engine(plan, on_event)
    finally:
        meter.abandon()
