"""Whatever a service counts: what the lab changes is no work of a stack's, and what a stack writes is all of it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from fairtrial.catalog.services import services
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Table
from tests.catalog.services.outside import OUTSIDE
from tests.catalog.services.shared import SQL, Shared, tables_of
from tests.catalog.services.stacks_side import cursor
from tests.catalog.services.stores import STORES, unheard
from tests.machine.needs import needs
from tests.waiting import wait_for

CHANGES = 40
WHERE = [(name, False) for name in services()] + [
    (name, True) for name, service in services().items() if service.connect is not None
]
"""All services; and those that somebody else may run, once more as that."""


@pytest.fixture(
    params=[
        pytest.param(
            (name, external),
            id=f"{name}-{'external' if external else 'own'}",
            marks=[] if name in ("none", "sqlite") else needs(name),
        )
        for name, external in WHERE
    ]
)
def service(request: pytest.FixtureRequest, shared: Shared) -> Iterator[RunningService]:
    with _up(*request.param, shared) as running:
        yield running


def _up(name: str, external: bool, shared: Shared) -> AbstractContextManager[RunningService]:
    if not external:
        return shared.private(name)
    connect = services()[name].connect
    assert connect is not None
    if name in SQL:
        return connect(shared.empty(name).url, tables_of(name), unheard)
    kind = next(kind for kind in OUTSIDE if kind.stored.name == name)
    return connect(shared.outside(kind), tables_of(name), unheard)


def _table(service: RunningService) -> tuple[Table, str]:
    """A table with rows, and a column of it that holds text."""
    table = next(table for table in tables_of(service.identity.name) if table.rows.count)
    return table, next(name for name, kind in table.columns.items() if kind == "text")


def _change(service: RunningService) -> None:
    """As a trial does: in one transaction, one by one over a connection, and each for itself; all is set back."""
    table, column = _table(service)
    rows = table.rows.sample()[:10]
    for text in ("another text", None):
        for together in (True, False):
            with service.changing(table.name, column, together=together) as change:
                for row in rows:
                    change(row["id"], text or row[column])
    for row in rows[:2]:
        service.change(table.name, row["id"], column, row[column])


def _writer(service: RunningService) -> Callable[[], object]:
    """One write of one row, as a stack does it."""
    name = service.identity.name
    table, column = _table(service)
    row = table.rows.sample()[0]
    if name in SQL:

        def write() -> None:
            with cursor(service.url) as statements:
                statements.execute(f"UPDATE {table.name} SET {column} = %s WHERE id = %s", ["x", row["id"]])
                statements.execute(f"UPDATE {table.name} SET {column} = %s WHERE id = %s", [row[column], row["id"]])

        return write
    stored = next(each for each in STORES if each.name == name)
    return lambda: [stored.write(service.url, row["id"], text) for text in ("x", row[stored.column])]


def _counted(service: RunningService, before: dict[str, int], *kinds: str) -> dict[str, int]:
    return {
        name: count - before.get(name, 0)
        for name, count in service.counters().items()
        if name.partition(".")[0] in kinds
    }


def _written(service: RunningService, before: dict[str, int]) -> dict[str, int]:
    return _counted(service, before, "writes", "rows_written")


def test_who_only_reads_has_no_writes_however_many_rows_the_lab_changes(service: RunningService) -> None:
    before = dict(service.counters())
    _change(service)
    assert not any(_written(service, before).values())
    read_counts = _counted(service, before, "reads", "table_reads", "rows_read")
    # By table, PostgreSQL counts entries of its index, of which a row that changes often has several for a while.
    assert not any(count for name, count in read_counts.items() if "." not in name)
    assert not service.altered()


def test_who_writes_has_all_of_it_beside_the_lab_and_nothing_else(service: RunningService) -> None:
    before = dict(service.counters())
    if not before:
        assert service.identity.where == "embedded", "who runs a server knows what it did"
        return
    write = _writer(service)
    _change(service)
    for _ in range(CHANGES // 2):
        write()
    _change(service)
    wait_for(lambda: CHANGES in _written(service, before).values(), "what the stack wrote is counted")
    assert set(_written(service, before).values()) <= {0, CHANGES}
    assert service.altered()
    service.reset()


def test_commits_of_the_lab_are_not_the_stacks(service: RunningService) -> None:
    before = dict(service.counters())
    if "commits" not in before:
        return
    nothing = dict(service.counters())["commits"] - before["commits"]
    before = dict(service.counters())
    for _ in range(5):
        _change(service)
    # Of each connection that the lab opens, PostgreSQL counts one, and one more for the statement that it prepares.
    assert service.counters()["commits"] - before["commits"] <= nothing + 5 * 6 * 2
