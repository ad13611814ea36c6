"""The load engine's ceiling before each block."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock, call

import pytest

from fairtrial.base.problem import Problem
from fairtrial.lab import calibrate
from fairtrial.lab.calibrate import BLOCK_WINDOW_SECONDS, BlockCeilings, calibrate_loads
from fairtrial.lab.placement import local_placement
from fairtrial.lab.trial.events import StageBegins, unwatched
from fairtrial.lab.trial.flow import new_record
from fairtrial.plan.plan import Plan
from fairtrial.record.calibration import CEILING_STAGE, Calibration
from fairtrial.record.model import TrialRecord
from tests.plan.plans import planned, without_spare

PLACEMENT = local_placement()


def tried(plan: Plan, ceilings: BlockCeilings) -> list[TrialRecord]:
    """The plan's trials, of which each is nothing but its record."""
    records = []
    for trial in without_spare(plan).trials():
        seconds = ceilings.before(trial)
        records.append(ceilings.add_to(new_record(trial), seconds))
    return records


@pytest.fixture(scope="module")
def calibrations(engine: Path) -> list[Calibration]:
    return calibrate_loads(planned(), PLACEMENT)


def test_each_block_has_its_own(calibrations: list[Calibration]) -> None:
    plan, watcher = planned(blocks=3), Mock()
    trials = tried(plan, BlockCeilings(plan, PLACEMENT, calibrations, watcher))
    by_block = {block: [each.ceiling for each in trials if each.block == block] for block in (1, 2, 3)}
    for one, other in by_block.values():
        assert one is not None and one == other and one.per_second > 0 and one.machine is not None
    rates = {one.per_second for one, _ in by_block.values() if one is not None}
    assert len(rates) == 3 and calibrations[0].ceiling_per_second in rates
    took = [each.stage_seconds.get(CEILING_STAGE) for each in trials]
    assert [each is None for each in took] == [True, True, False, True, False, True]
    assert min(each for each in took if each is not None) > BLOCK_WINDOW_SECONDS
    assert watcher.mock_calls == [call(StageBegins(CEILING_STAGE))] * 2


def test_where_nothing_was_calibrated_nothing_is_measured() -> None:
    plan = planned(blocks=2)
    trials = tried(plan, BlockCeilings(plan, PLACEMENT, [], unwatched))
    assert [(each.ceiling, each.stage_seconds) for each in trials] == [(None, {})] * 4


def test_a_block_whose_ceiling_cannot_be_measured_has_none(
    calibrations: list[Calibration], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_arguments: object, **_more: object) -> Calibration:
        raise Problem("the load engine got no answer from its own target")

    monkeypatch.setattr(calibrate, "calibrate", failing)
    plan = planned(blocks=2)
    trials = tried(plan, BlockCeilings(plan, PLACEMENT, calibrations, unwatched))
    assert [each.ceiling is None for each in trials] == [False, False, True, True]


def test_over_http2_there_is_none(calibrations: list[Calibration]) -> None:
    """Not even where a load over HTTP/1.1 has as many connections: the target does not speak it."""
    plan = planned()
    first, second = plan.conditions
    load = first.point.experiment.load.model_copy(update={"http2": True, "streams": 4})
    point = replace(first.point, experiment=first.point.experiment.model_copy(update={"load": load}))
    mixed = replace(plan, conditions=[replace(first, point=point), second])
    ceilings = BlockCeilings(mixed, PLACEMENT, calibrations, unwatched)
    records = {trial.condition.recorded.id: new_record(trial) for trial in plan.trials()}
    assert ceilings.add_to(records[first.recorded.id], 0.0).ceiling is None
    assert ceilings.add_to(records[second.recorded.id], 0.0).ceiling is not None
