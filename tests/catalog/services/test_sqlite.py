"""SQLite as a service: loaded as described, and brought back when altered."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import ServiceStart
from fairtrial.catalog.services.sqlite import SqliteFile
from fairtrial.catalog.tables import Table
from fairtrial.catalog.workloads.random_item import items
from fairtrial.experiment.model import DatasetOptions
from tests.catalog.services.shared import REPORT_EVERY_ROWS


def rows(seed: int, count: int = 3000) -> list[Table]:
    return [*items(DatasetOptions(rows=count, seed=seed, gaps=0.2), count).tables]


@pytest.fixture
def loaded(cache: Path) -> Iterator[Callable[[list[Table]], SqliteFile]]:
    with ExitStack() as stack:

        def load(tables: list[Table]) -> SqliteFile:
            up = stack.enter_context(pick_service("sqlite").start(ServiceStart(tables)))
            assert isinstance(up, SqliteFile)
            return up

        yield load


Loaded = Callable[[list[Table]], SqliteFile]


def count_in(up: SqliteFile) -> int:
    with closing(sqlite3.connect(up.url.removeprefix("sqlite:///"))) as database:
        (count,) = database.execute("SELECT count(*) FROM items").fetchone()
        return int(count)


def test_the_dataset_is_loaded_with_its_index_in_wal_mode(loaded: Loaded) -> None:
    up = loaded(rows(1))
    with closing(sqlite3.connect(up.url.removeprefix("sqlite:///"))) as database:
        assert database.execute("SELECT count(*), typeof(id) FROM items").fetchone() == (3000, "integer")
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        plan = database.execute("EXPLAIN QUERY PLAN SELECT * FROM items WHERE uuid = 'x'").fetchone()
        assert "items_uuid" in plan[-1]


def test_reading_alters_nothing_and_writing_does(loaded: Loaded) -> None:
    up = loaded(rows(2))
    assert count_in(up) == 3000
    assert not up.altered()
    with closing(sqlite3.connect(up.url.removeprefix("sqlite:///"))) as database:
        database.execute("DELETE FROM items WHERE id < 100")
        database.commit()
    assert up.altered()
    up.reset()
    assert not up.altered()
    assert count_in(up) == 3000


def test_the_labs_own_changes_alter_nothing_and_those_of_others_beside_them_do(loaded: Loaded) -> None:
    up = loaded(rows(4))
    name = next(up.rows("items"))["name"]
    key = next(up.rows("items"))["id"]
    up.change("items", key, "name", "changed")
    assert next(up.rows("items"))["name"] == "changed"
    up.change("items", key, "name", name)
    assert count_in(up) == 3000
    assert not up.altered()
    with closing(sqlite3.connect(up.url.removeprefix("sqlite:///"))) as database, database:
        database.execute("CREATE INDEX faster ON items (name)")
    assert up.altered()


def test_two_runs_at_once_have_a_file_each_and_leave_none(loaded: Loaded) -> None:
    tables = rows(5)
    with pick_service("sqlite").start(ServiceStart(tables)) as first:
        second = loaded(tables)
        assert first.url != second.url
        first.change("items", next(first.rows("items"))["id"], "name", "changed")
        assert next(second.rows("items"))["name"] != "changed"
        file = Path(first.url.removeprefix("sqlite:///"))
        assert file.exists()
    assert not file.parent.parent.exists()


def test_a_second_load_is_at_hand(cache: Path) -> None:
    reports: list[tuple[str, int]] = []
    tables = rows(3, count=3000)

    def note(table: str, count: int) -> None:
        reports.append((table, count))

    with pick_service("sqlite").start(ServiceStart(tables, on_rows=note)):
        pass
    assert reports == [("items", count * REPORT_EVERY_ROWS) for count in (1, 2, 3)]
    reports.clear()
    with pick_service("sqlite").start(ServiceStart(tables, on_rows=note)):
        pass
    assert reports == []


def test_a_table_that_does_not_exist(loaded: Loaded) -> None:
    up = loaded(rows(6))
    with pytest.raises(Problem, match="nowhere"):
        list(up.rows("nowhere"))
    with pytest.raises(Problem, match="nowhere"):
        up.change("nowhere", 1, "name", "x")
