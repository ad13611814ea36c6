"""Long queries that work: the rate is measured on real databases, and the function works by it."""

import time
from collections.abc import Iterator

import pytest

from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import RunningService, ServiceStart
from fairtrial.catalog.tables import work_table
from fairtrial.lab.trial.work_rate import set_work, work_rate
from tests.catalog.services.shared import SQL, Shared
from tests.catalog.services.stacks_side import execute
from tests.machine.needs import needs

HALF = work_table(0.5)


@pytest.fixture(params=[pytest.param(name, marks=needs(name)) for name in SQL])
def database(request: pytest.FixtureRequest, shared: Shared) -> Iterator[tuple[str, RunningService]]:
    del shared  # its temporary folder, and its short calibrations
    with pick_service(request.param).start(ServiceStart([HALF])) as running:
        yield request.param, running


def seconds_of_work(running: RunningService, seconds: float) -> float:
    begun = time.perf_counter()
    execute(running.url, f"SELECT work({seconds})")
    return time.perf_counter() - begun


def test_the_function_works_and_sleeps_by_the_measured_rate_and_is_counted(
    database: tuple[str, RunningService],
) -> None:
    name, running = database
    rate = work_rate(pick_service(name), running)
    set_work(running, HALF, rate)
    before = running.counters()
    took = seconds_of_work(running, 0.4)
    running.end_sessions()
    after = running.counters()
    assert took >= 0.2 + 0.5 * 0.2, "it sleeps half of its time, and computes in the other"
    assert after["rows_read.work_rate"] - before["rows_read.work_rate"] == 1
    statements = {"postgresql": 1, "mariadb": 2}  # which counts that of the function, too
    assert after["reads"] - before["reads"] == statements[name]
    assert after["statement_milliseconds"] - before["statement_milliseconds"] >= 300
    assert running.altered() == "", "the lab's own changes of the rate are none of a stack's"

    set_work(running, work_table(1), 10 * rate)
    assert seconds_of_work(running, 0.4) > 2 * took, "twenty times the rounds"

    execute(running.url, "UPDATE work_rate SET rounds = 1")
    assert running.altered() == "its rows"


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in SQL])
def test_a_database_of_somebody_else_s_gets_the_function_and_keeps_nothing(name: str, shared: Shared) -> None:
    service, url = pick_service(name), shared.empty(name).url
    assert service.connect is not None
    for _ in range(2):  # the second time, the first has left nothing behind
        with service.connect(url, [HALF], lambda _table, _rows: None) as running:
            execute(running.url, "SELECT work(0.001)")
    with pytest.raises(Exception, match=r"(?i)work.*does not exist"):
        execute(url, "SELECT work(0)")
