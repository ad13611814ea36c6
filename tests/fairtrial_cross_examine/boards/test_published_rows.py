"""Rows that boards published, as they stand there: the verdicts of all of them, and some that a hand computed again."""

from collections import Counter
from pathlib import Path

import pytest

from fairtrial_cross_examine.boards.verdicts import ExaminedRow, examine_rows
from fairtrial_cross_examine.read import read_rows

BOARDS = Path(__file__).parents[1] / "data" / "boards"
STANDS, ACCUSED, UNTOLD = "stands", "contradicts itself", "cannot be told"
VERDICTS = {
    "httparena/baseline-512.json": {STANDS: 24},
    "httparena/baseline-h2-1024.json": {ACCUSED: 21},
    "httparena/static-1024.json": {ACCUSED: 20},
    "techempower/results.json": {STANDS: 107, UNTOLD: 60},
    "the-benchmarker/2024.json": {STANDS: 30},
    "the-benchmarker/2026.json": {UNTOLD: 30},
}
"""By file, how many rows have each."""


def examined(file: str) -> list[ExaminedRow]:
    rows, unread = read_rows(BOARDS / file)
    assert not unread
    return examine_rows(rows)[0]


def test_every_published_file_is_held() -> None:
    assert {str(path.relative_to(BOARDS)) for path in BOARDS.rglob("*.json")} == VERDICTS.keys()


@pytest.mark.parametrize("file", VERDICTS)
def test_published_rows_have_their_verdicts(file: str) -> None:
    rows = examined(file)
    assert Counter(each.verdict for each in rows) == VERDICTS[file]
    assert {each.board.lower() for each in rows} == {file.partition("/")[0]}


@pytest.mark.parametrize(
    ("file", "contender", "test", "says"),
    [
        # "rps": 294864, of 11,817 answers with 2xx and 1,462,506 with 5xx
        ("httparena/baseline-h2-1024.json", "php-fpm", "baseline-h2-1024", "Without them it is 2,363.40/s (0.802%"),
        # "avg_latency": "188.95ms", "p99_latency": "188.95ms"
        ("httparena/static-1024.json", "actix", "static-1024", "The mean and the p99 are both 189 ms, to the digit"),
        # 151,667 requests in 15 s, with a mean of 1.71 ms
        ("techempower/results.json", "hapi-postgres", "fortune 16", "is 17.29 requests under way, of 16"),
        # oha's file, which has no mean
        ("the-benchmarker/2026.json", "c/agoo-c", "64 connections", "percentiles without a mean"),
    ],
)
def test_published_rows_say_what_a_hand_finds(file: str, contender: str, test: str, says: str) -> None:
    [row] = [each for each in examined(file) if (each.contender, each.test) == (contender, test)]
    assert says in row.says


def test_the_approach_of_a_contender_is_no_concurrency_model() -> None:
    rows, _ = read_rows(BOARDS / "techempower" / "results.json")
    assert {each.traits["approach"] for each in rows} <= {"realistic", "stripped"}
    assert not any("model" in each.traits for each in rows)
