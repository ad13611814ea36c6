"""SQLite as a service: loaded as described, and brought back when altered."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fairtrial.engine.dataset import Dataset, describe
from fairtrial.experiment.model import DatasetOptions
from fairtrial.problem import Problem
from fairtrial.services import pick_service
from fairtrial.services.sqlite import SqliteFile
from fairtrial.workloads import pick_workload

ITEMS = pick_workload("random-item").table


def rows(seed: int, count: int = 3000) -> Dataset:
    return describe(pick_workload("random-item").dataset(DatasetOptions(rows=count, seed=seed, gaps=0.2)))


def loaded(dataset: Dataset) -> SqliteFile:
    with pick_service("sqlite").up(ITEMS, dataset, lambda count: None) as up:
        assert isinstance(up, SqliteFile)
        return up


def count_in(up: SqliteFile) -> int:
    with closing(sqlite3.connect(up.url.removeprefix("sqlite:///"))) as database:
        (count,) = database.execute("SELECT count(*) FROM items").fetchone()
        return int(count)


def test_the_dataset_is_loaded_with_its_index_in_wal_mode(cache: Path) -> None:
    up = loaded(rows(1))
    with closing(sqlite3.connect(up.url.removeprefix("sqlite:///"))) as database:
        assert database.execute("SELECT count(*), typeof(id) FROM items").fetchone() == (3000, "integer")
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        plan = database.execute("EXPLAIN QUERY PLAN SELECT * FROM items WHERE uuid = 'x'").fetchone()
        assert "items_uuid" in plan[-1]


def test_reading_alters_nothing_and_writing_does(cache: Path) -> None:
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


def test_a_second_load_is_at_hand(cache: Path) -> None:
    seen: list[int] = []
    dataset = rows(3, count=50_000)
    with pick_service("sqlite").up(ITEMS, dataset, seen.append):
        pass
    assert seen
    seen.clear()
    with pick_service("sqlite").up(ITEMS, dataset, seen.append):
        pass
    assert seen == []


def test_an_unknown_service() -> None:
    with pytest.raises(Problem, match="sqlite"):
        pick_service("oracle")
