"""Loading: progress is reported, and what a service holds afterwards is compared with what was generated."""

import io
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common import loading
from fairtrial.catalog.services.common.loading import assert_loaded, reported_blocks, reported_rows
from fairtrial.catalog.tables import LiteralRows, Table

ROWS = [(number, f"text {number}") for number in range(1, 48)]
TABLE = Table("things", {"id": "key", "text": "text"}, LiteralRows(("id", "text"), ROWS))
Reports = list[tuple[str, int]]


@pytest.fixture(autouse=True)
def every_ten_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "REPORT_EVERY_ROWS", 10)
    monkeypatch.setattr(loading, "BLOCK_BYTES", 64)


def test_rows_are_split_and_reported() -> None:
    reports: Reports = []
    with TABLE.rows.tsv() as lines:
        rows = list(reported_rows(TABLE, lines, lambda table, count: reports.append((table, count))))
    assert rows == [[str(number), text] for number, text in ROWS]
    assert reports == [("things", count) for count in (10, 20, 30, 40)]


def test_blocks_are_passed_on_whole_and_reported_in_round_numbers() -> None:
    reports: Reports = []
    with TABLE.rows.tsv() as stream:
        text = b"".join(reported_blocks(TABLE, stream, lambda table, count: reports.append((table, count))))
    with TABLE.rows.tsv() as stream:
        assert text == stream.read()
    assert reports == [("things", count) for count in (10, 20, 30, 40)]


def test_nothing_is_reported_of_an_empty_table() -> None:
    assert list(reported_rows(TABLE, [], pytest.fail)) == []
    assert list(reported_blocks(TABLE, io.BytesIO(), pytest.fail)) == []


def stored(key: object) -> dict[str, Any] | None:
    return next(({"id": number, "text": text} for number, text in ROWS if number == key), None)


def test_what_was_generated_is_accepted() -> None:
    assert_loaded(TABLE, len(ROWS), stored)


def test_a_wrong_number_of_rows() -> None:
    with pytest.raises(Problem, match="46 rows instead of 47"):
        assert_loaded(TABLE, 46, stored)


def test_a_row_that_is_missing_or_differs() -> None:
    with pytest.raises(Problem, match="row of 1 is None"):
        assert_loaded(TABLE, len(ROWS), lambda _key: None)
    with pytest.raises(Problem, match="TEXT 1"):
        assert_loaded(TABLE, len(ROWS), lambda key: {"id": key, "text": f"TEXT {key}"})
