"""How an experiment goes on, event by event, as whoever watches it is told."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairtrial.plan.plan import PlannedTrial
from fairtrial.record.model import ExperimentRecord, TrialRecord


@dataclass(frozen=True)
class Preparing:
    """Something that may take a while begins, before the first trial."""

    what: str


@dataclass(frozen=True)
class Building:
    """The preparation begins; at any moment, `steps` says which of its steps run, and for how long."""

    steps: Callable[[], str]


@dataclass(frozen=True)
class Step:
    """A step of the preparation begins or ends; told by several threads, one at a time."""

    text: str


@dataclass(frozen=True)
class Notice:
    """The run goes on otherwise than was announced."""

    text: str


@dataclass(frozen=True)
class RowProgress:
    """The dataset is being loaded."""

    rows: int
    of: int


@dataclass(frozen=True)
class ExperimentBegins:
    """Everything is ready; the first trial follows."""

    record: ExperimentRecord


@dataclass(frozen=True)
class TrialBegins:
    """A trial begins."""

    trial: PlannedTrial


@dataclass(frozen=True)
class StageBegins:
    """A stage of a trial begins, or `ceiling` before it; `wait` says for what."""

    name: str
    awaited: str = ""


@dataclass(frozen=True)
class EngineEvent:
    """The engine sent an event: docs/engine-protocol.md."""

    event: dict[str, Any]


@dataclass(frozen=True)
class TrialEnds:
    """A trial ended, and its line is on disk."""

    record: TrialRecord


Event = (
    Preparing
    | Building
    | Step
    | Notice
    | RowProgress
    | ExperimentBegins
    | TrialBegins
    | StageBegins
    | EngineEvent
    | TrialEnds
)
Watcher = Callable[[Event], None]


def unwatched(_event: Event) -> None:
    """Nobody is told."""
