"""Consoles that write to memory, a clock that tests turn, and an experiment whose progress is shown."""

from io import StringIO
from types import SimpleNamespace
from typing import cast

import pytest
from rich.console import Console

from fairtrial.plan.plan import PlannedCondition, PlannedTrial
from fairtrial.record.model import ExperimentRecord


class Time:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Time:
    """The time of the progress, which a test moves on."""
    passing = Time()
    for module in ("clock", "live"):
        monkeypatch.setattr(f"fairtrial.lab.progress.{module}.time", SimpleNamespace(monotonic=passing.monotonic))
    return passing


def console_in_memory(*, terminal: bool) -> tuple[Console, StringIO]:
    file = StringIO()
    return Console(file=file, width=140, force_terminal=terminal, no_color=True, legacy_windows=False), file


def trials_of_order(experiment: ExperimentRecord) -> list[PlannedTrial]:
    """The trials that the experiment plans, in their order. Progress reads the labels of their conditions alone."""
    conditions = {condition.id: SimpleNamespace(label=condition.contender) for condition in experiment.conditions}
    planned = [(block, condition) for block, order in enumerate(experiment.order, 1) for condition in order]
    return [
        PlannedTrial(index, block, cast("PlannedCondition", conditions[condition]))
        for index, (block, condition) in enumerate(planned, 1)
    ]
