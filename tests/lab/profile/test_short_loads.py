"""A request's time in parts that are known beforehand: one server takes its requests one after the other."""

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from fairtrial.lab.profile.short_loads import LOADS
from fairtrial.record.profile import Profile, ShortLoad, read_profiles
from fairtrial.report.profile.request_time import ROWS
from tests.command_line import CLOSED, Finished, Lab
from tests.machine.needs import needs

ONE_BY_ONE = Path(__file__).parents[2] / "fixtures" / "one_by_one.py"
CLIENTS = 8
TEXT = """
title = "a text"
ready = { path = "/health" }
[requests.text]
get = "/text"
expect.text = "Hello, World!"
"""
WORK, SLEEP, DATABASE_WORK, DATABASE_SLEEP = 0.003, 0.004, 0.003, 0.006
PARTS = {row.title.partition(":")[0]: row.of for row in ROWS}

pytestmark = [pytest.mark.processes, pytest.mark.measures]


def profiled(lab: Lab, seconds: list[float], service: str) -> tuple[Profile, Finished]:
    """A server whose requests take these seconds; and what was said."""
    run = [sys.executable, ONE_BY_ONE.name, *map(str, seconds)]
    lab.stack("one-by-one", run=run, server=ONE_BY_ONE, workload="page", service=service)
    (lab.folder / "text.workload.toml").write_text(TEXT)
    load = CLOSED.replace("connections = 4", f"connections = {CLIENTS}")
    file = lab.experiment("one-by-one", workload="text.workload.toml", service=service, data="", load=load)
    finished = lab.fairtrial("run", file, "--profile", "--workloads", lab.folder, *lab.named("one-by-one"))
    assert finished.results is not None, finished.err
    (line,) = read_profiles(finished.results).lines
    assert line.failure is None and len(line.alone) == len(line.loaded) == LOADS, finished.out
    return line, finished


def median_of(part: str, loads: list[ShortLoad]) -> float:
    of: Callable[[ShortLoad], float | None] = PARTS[part]
    values = [of(load) for load in loads]
    return median(value for value in values if value is not None)


def assert_parts(line: Profile, *others: str) -> None:
    """Those that a request has on any machine; of eight requests seven are not read yet. A busy machine adds waits.

    Args:
        others: parts that it has beside them.
    """
    for loads in (line.alone, line.loaded):
        assert 0.9 < median_of("stack, on a processor", loads) / WORK < 1.8
        response = median_of("response time", loads)
        parts = ["unread request, before the process", "stack, on a processor", "unread answer, behind the process"]
        assert median_of("elsewhere", loads) == pytest.approx(
            response - sum(median_of(part, loads) for part in (*parts, *others)), abs=response / 5
        )
        assert median_of("unread answer, behind the process", loads) < response / 4
    waited = median_of("meanwhile", line.alone)
    assert 0.7 * SLEEP < median_of("elsewhere", line.alone) < 1.7 * SLEEP + 2 * waited
    alone, response = median_of("response time", line.alone), median_of("response time", line.loaded)
    queue = median_of("unread request, before the process", line.loaded)
    assert 0.6 < queue / ((CLIENTS - 1) * alone) < 1.8
    assert 0.75 < queue / response < 1.1
    assert median_of("unread request, before the process", line.alone) < alone / 3
    unread = [load.unread.requests for load in line.loaded if load.unread is not None]
    assert CLIENTS - 2 < median(number for number in unread if number is not None) < CLIENTS


def test_without_a_database_what_is_not_read_and_not_worked_is_elsewhere(lab: Lab) -> None:
    line, finished = profiled(lab, [WORK, SLEEP], "none")
    assert_parts(line)
    assert all(load.service is None and load.round_trips is None for load in (*line.alone, *line.loaded))
    assert "under its own load" in finished.out and "waiting for the database" not in finished.out


@needs("postgresql")
def test_the_wait_for_the_database_is_told_from_the_rest(lab: Lab) -> None:
    line, finished = profiled(lab, [WORK, SLEEP, DATABASE_WORK, DATABASE_SLEEP], "postgresql")
    assert_parts(line, "waiting for the database", "the lab's proxy before the database")
    for loads in (line.alone, line.loaded):
        waited = median_of("database, waiting for a processor", loads)
        wait = median_of("waiting for the database", loads)
        assert 0.95 * (DATABASE_WORK + DATABASE_SLEEP) < wait < 1.6 * (DATABASE_WORK + DATABASE_SLEEP) + 2 * waited
        assert 0.5 < median_of("database, on a processor", loads) / DATABASE_WORK < 1.6
        assert 0.8 < median_of("database, elsewhere", loads) / DATABASE_SLEEP < 1.7
        assert median_of("the lab's proxy before the database", loads) < wait / 2
        trips = [load.round_trips.count / load.answers for load in loads if load.round_trips is not None]
        assert len(trips) == LOADS and 1.7 < median(trips) < 2.3
    shown = finished.results and (finished.results / "report.html").read_text(encoding="utf-8")
    assert shown and "waiting for the database" in shown and "database: round trips" in shown
