"""What running services count within a window: statements before it are no part of that, whenever they are reported."""

from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.lab.placement import THIS_MACHINE
from fairtrial.lab.trial.window_books import WindowBooks
from fairtrial.load.closed import ClosedLoad
from tests.builders import a_trial
from tests.catalog.services.shared import SQL, Shared
from tests.catalog.services.stacks_side import connect
from tests.machine.needs import needs

READ = "SELECT id FROM items WHERE id >= 1500 ORDER BY id LIMIT 1"


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in SQL])
def test_reads_ahead_of_a_window_are_none_of_its_own(name: str, shared: Shared) -> None:
    summary = a_trial().record().engine
    assert summary is not None
    with shared.private(name) as service, connect(service.url) as connection, connection.cursor() as cursor:
        context: Any = SimpleNamespace(
            service=service,
            urls={},
            environment=SimpleNamespace(trial_hosts=THIS_MACHINE),
            condition=SimpleNamespace(load=ClosedLoad(kind="closed", connections=16)),
        )
        books = WindowBooks(context)
        for _ in range(50):
            cursor.execute(READ)
        books.open()
        for _ in range(10):
            cursor.execute(READ)
        books.close()
        work = books.result(summary)
        begun = books.result(summary.model_copy(update={"in_flight_at_start": 0, "in_flight_at_end": 0}))
    looked = work.counts["table_reads" if name == "postgresql" else "table_transactions"]
    assert work.counts["reads"] == 10 and 10 <= looked <= 13
    assert 0 < work.seconds < 60 and work.upstream_share is None
    assert begun.in_flight == 16, "what the first requests ask was perhaps counted before the window's counters were"
