"""A trial with all that takes part in it, and what is seen of it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import Workload
from fairtrial.experiment.model import Experiment
from fairtrial.lab.trial.environment import Point, Surroundings
from fairtrial.lab.trial.ready_stack import ReadyStack
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.machine import MachineMeter, NetworkMeter
from fairtrial.record.model import (
    Audit,
    Clause,
    Condition,
    EngineSummary,
    Failure,
    Freshness,
    Ledger,
    Placement,
    ProgramRun,
    ServerMeter,
    Settle,
    Stop,
)


class TrialWatcher(Protocol):
    """Is told how a trial goes on."""

    def stage(self, name: str) -> None:
        """A stage begins: `start`, `contract`, `load`, `settle`, `stop` or `audit`; before them `wait`."""

    def waiting(self, what: str) -> None:
        """Within the stage `wait`: for what."""

    def engine_event(self, event: dict[str, Any]) -> None:
        """The engine said something: docs/engine-protocol.md."""


@dataclass(frozen=True)
class Setting:
    """What all trials of an experiment share, at one value of its sweep."""

    workload: Workload
    point: Point
    around: Surroundings
    placement: Placement
    results: Path

    @property
    def experiment(self) -> Experiment:
        """The experiment at that value."""
        return self.point.experiment

    @property
    def options(self) -> Any:
        """The workload's own."""
        return self.point.options

    @property
    def data(self) -> Data:
        """What each of these trials begins with."""
        return self.point.data

    def stack_settings(self, service: RunningService) -> dict[str, str]:
        """What a stack is told by environment: the contract's variables, and those of the experiment over them."""
        return self.around.settings(service, self.workload, self.options) | self.experiment.env


@dataclass(frozen=True)
class Trial:
    """One trial, planned."""

    index: int
    block: int
    condition: Condition
    build: int = 1


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
    service: ServerMeter | None = None
    ledger: Ledger | None = None
    program: ProgramRun | None = None
    capacity: CapacitySearch | None = None
    runs: list[EngineSummary] = field(default_factory=list)
    """of the engine, each of the trial; `engine` is the last of those that were measured"""
    freshness: Freshness | None = None
    settle: Settle | None = None
    audit: Audit | None = None
    machine: MachineMeter | None = None
    network: NetworkMeter | None = None
    failure: Failure | None = None


@dataclass(frozen=True)
class Attended:
    """A trial with all that takes part in it."""

    setting: Setting
    trial: Trial
    ready: ReadyStack
    folder: Path
    service: RunningService
    observed: Observed
    log: Path
    watcher: TrialWatcher

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What is done within takes its time into the record, under this name."""
        self.watcher.stage(name)
        began = time.monotonic()
        try:
            yield
        finally:
            self.observed.stage_seconds[name] = time.monotonic() - began
