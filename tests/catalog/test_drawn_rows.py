"""The rows that a trial changes: drawn from all, so that a stack that knows the samples knows none of them."""

from pathlib import Path

import pytest

from fairtrial.catalog.tables import LiteralRows, TableRows
from fairtrial.catalog.workloads.random_item import items
from fairtrial.experiment.model import DatasetOptions


def generated(rows: int, gaps: float) -> TableRows:
    return items(DatasetOptions(rows=rows, seed=1, gaps=gaps), rows).tables[0].rows


def test_rows_are_drawn_from_all_and_differ_each_time(engine: Path) -> None:
    rows = generated(10_000, 0.3)
    known = {row["id"] for row in rows.sample()}
    first, second = ([row["id"] for row in rows.random_rows(50)] for _ in range(2))
    assert len(set(first)) == 50 and set(first) != set(second)
    # 50 of 10,000 rows, of which 16 are known: five of them are met once in 10^10 draws.
    assert len(known & set(first)) < 5
    middle = (min(first) + max(first)) / 2
    assert 5 < sum(one > middle for one in first) < 45


@pytest.mark.parametrize("rows", [LiteralRows(["id"], [(1,), (2,)]), None])
def test_there_are_no_more_rows_than_there_are(rows: TableRows | None, engine: Path) -> None:
    few = rows or generated(2, 0.5)
    assert sorted(row["id"] for row in few.random_rows(3)) == sorted(row["id"] for row in few.sample())
