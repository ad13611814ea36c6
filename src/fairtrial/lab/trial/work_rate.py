"""The rate at which a database works in long queries, measured before the first trial."""

import time

from fairtrial.catalog.services.model import RunningService, Service
from fairtrial.catalog.tables import WORK_FUNCTION, WORK_TABLE, Table
from fairtrial.engine.process_tree import cpu_seconds_below

LEAST_SECONDS = 0.2
"""The measured work takes so long at least, many ticks of the kernel's of 10 ms."""

MEASUREMENTS = 3
WITHIN_SECONDS = 60.0
STATEMENT = f"SELECT {WORK_FUNCTION}(1)"


def set_work(running: RunningService, table: Table, rounds_per_second: int) -> None:
    """Have long queries work at this rate, for the share of their time that the table was loaded for.

    Raises:
        Problem: the database refused.
    """
    asleep = int(table.rows.sample()[0]["sleep_thousandths"])
    _set(running, round(rounds_per_second * (1_000 - asleep) / 1_000), asleep)


def work_rate(service: Service, running: RunningService) -> int:
    """The rounds of work that the database does in a second of processor time: the most of three measurements.

    By the clock, where its processes are not seen here. What a query without a round takes is taken off. Afterwards
    `set_work` is to be called.

    Raises:
        Problem: the database refused, or takes more than a minute.
    """
    assert service.sql is not None
    query = service.sql.query

    def clock() -> float:
        return time.perf_counter() if running.pid is None else sum(cpu_seconds_below(running.pid))

    def seconds(rounds: int) -> float:
        _set(running, rounds, 0)
        measured = []
        for _ in range(MEASUREMENTS):
            start = clock()
            query(running.url, STATEMENT, WITHIN_SECONDS)
            measured.append(clock() - start)
        return min(measured)

    asking, rounds = seconds(0), 10_000
    while (working := seconds(rounds) - asking) < LEAST_SECONDS:
        rounds *= 2
    return round(rounds / working)


def _set(running: RunningService, rounds: int, sleep_thousandths: int) -> None:
    for column, value in {"rounds": rounds, "sleep_thousandths": sleep_thousandths}.items():
        running.change(WORK_TABLE, 1, column, str(value))
