"""The first line of a record holds the plan."""

from pathlib import Path
from typing import Any

from fairtrial.lab.first_line import first_line
from fairtrial.lab.placement import local_placement
from fairtrial.record.identity import ServiceIdentity, StackIdentity
from fairtrial.record.model import ExperimentRecord
from fairtrial.record.placement import IdleLimit
from tests.plan.plans import planned

SQLITE = ServiceIdentity(name="sqlite", product="SQLite", where="embedded")
IDLE = IdleLimit(driver="haltpoll", wakes_within_microseconds=0)
STACK = StackIdentity(
    name="a", title="a", language="x", framework="x", server="x", concurrency="x", content_sha256="0", versions={}
)


def the_line(services: tuple[ServiceIdentity, ...] = (SQLITE,), **more: Any) -> ExperimentRecord:
    return first_line(
        planned(**more),
        local_placement(),
        services,
        [STACK],
        idle=IDLE,
        engine_version="engine 1",
        private_network=False,
        calibrations=[],
    )


def test_conditions_and_order_are_those_of_the_plan(engine: Path) -> None:
    del engine
    plan = planned(blocks=3, noise_floor=True)
    record = the_line(blocks=3, noise_floor=True)
    assert record.conditions == [condition.recorded for condition in plan.conditions]
    assert record.order == [[condition.recorded.id for condition in block] for block in plan.blocks]
    assert (sum(map(len, record.order)), record.possible_ends) == (12, [3, 4])


def test_what_an_answer_implies_is_recorded_for_every_condition(engine: Path) -> None:
    del engine
    record = the_line()
    assert set(record.implied_work) == {condition.id for condition in record.conditions}
    assert record.implied_work[record.conditions[0].id].per_answer["rows_read"] == 1


def test_equal_rows_are_recorded_once_and_different_rows_by_condition(engine: Path) -> None:
    del engine
    same = the_line(dataset={"rows": 40})
    assert same.dataset is not None and same.dataset.rows == 40 and same.datasets == {}
    swept = the_line(sweep={"parameter": "dataset.rows", "values": [40, 60]})
    assert swept.dataset is None
    assert [swept.datasets[condition.id].rows for condition in swept.conditions] == [40, 60, 40, 60]


def test_no_rows_are_recorded_where_no_service_was_up() -> None:
    record = the_line(services=(), dataset={"rows": 40})
    assert (record.dataset, record.datasets) == (None, {})
