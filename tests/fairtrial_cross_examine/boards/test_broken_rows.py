"""Rows of boards that are broken: each is told by itself, with its key, and the others are judged."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial_cross_examine.boards import read_board
from fairtrial_cross_examine.examination import examine_output
from fairtrial_cross_examine.read import read_evidence, read_rows
from tests.fairtrial_cross_examine.boards.files import (
    ARENA_ROW,
    BY_WRK,
    POWER_RUN,
    arena_framework,
    arena_profile,
    benchmarker,
    power_round,
    text_of,
)
from tests.fairtrial_cross_examine.boards.test_command import cross_examine

DEEP: Any = []
for _ in range(300):
    DEEP = [DEEP]
LONG_NUMBER = "9" * 5_000
HUGE = 10**40
BROKEN = [
    ("framework", None, "framework: missing"),
    ("framework", 5, "framework: 5 is no name"),
    ("rps", "fast", 'rps: "fast" is no number'),
    ("rps", None, "rps: missing"),
    ("rps", -1, "rps: -1 is negative"),
    ("rps", float("nan"), "rps: nan is no figure"),
    ("rps", float("inf"), "rps: inf is no figure"),
    ("rps", HUGE, "is no figure"),
    ("rps", DEEP, "rps: a list is no number"),
    ("connections", True, "connections: true or false is no count"),
    ("connections", -512, "connections: -512 is no count"),
    ("connections", 51.2, "connections: 51.2 is no count"),
    ("connections", "5\u0661", "is no count"),
    ("pipeline", HUGE, "is no count"),
    ("status_2xx", {}, "status_2xx: an object is no count"),
    ("status_5xx", "many", 'status_5xx: "many" is no count'),
    ("avg_latency", "1st", 'avg_latency: "1st" is no time with its unit'),
    ("avg_latency", "-5ms", "is no time with its unit"),
    ("avg_latency", 4.2, "avg_latency: 4.2 is no time with its unit"),
    ("p99_latency", "1.2.3ms", "p99_latency:"),
    ("duration", "\x1b[2J5s", "\\x1b[2J5s"),
]


def told(document: object) -> tuple[int, list[tuple[str, str]]]:
    """How many rows are read, and of each other one its place and what is wrong."""
    rows, unread = read_board(json.dumps(document), "baseline-512.json")
    return len(rows), [(each.row, each.why) for each in unread]


@pytest.mark.parametrize(("key", "value", "why"), BROKEN)
def test_a_broken_row_of_a_profile_is_told_by_its_key(key: str, value: object, why: str) -> None:
    rows, [(row, says)] = told(arena_profile({}, {key: value}, {"framework": "robin"}))
    assert rows == 2 and why in says and len(says) <= 200
    assert row.startswith("row 2 (") and "baseline-512" in row


@pytest.mark.parametrize("row", [None, 5, "text", [], True, {}, DEEP], ids=str)
def test_a_row_that_is_no_object_is_told(row: object) -> None:
    assert told([ARENA_ROW, row])[0] == 1
    assert told({"framework": "sparrow", "results": {"json-512": ARENA_ROW, "crud-512": row}})[1][0][0] == (
        "row 2 (crud-512)"
    )


def test_a_row_that_stands_twice_is_judged_once_and_another_figure_twice(snapshot: object) -> None:
    rows, unread = told([ARENA_ROW, ARENA_ROW, ARENA_ROW | {"rps": 119_000}])
    assert rows == 2
    assert unread == snapshot


def test_a_key_that_stands_twice_with_different_values_has_neither(snapshot: object) -> None:
    text = text_of([ARENA_ROW, ARENA_ROW]).replace('"rps": 120000', '"rps": 120000, "rps": 5', 1)
    rows, unread = read_board(text, "baseline-512.json")
    assert len(rows) == 1
    assert unread[0].why == snapshot


def test_a_number_of_thousands_of_digits_breaks_its_row_alone() -> None:
    text = text_of([ARENA_ROW, ARENA_ROW]).replace("120000", LONG_NUMBER, 1)
    rows, unread = read_board(text, "baseline-512.json")
    assert len(rows) == 1 and unread[0].why.startswith("rps: ") and len(unread[0].why) < 100


POWER = [
    ("latencyAvg", 5, "latencyAvg: 5 is no time with its unit"),
    ("latencyMax", "soon", 'latencyMax: "soon" is no time with its unit'),
    ("totalRequests", -5, "totalRequests: -5 is no count"),
    ("5xx", [], "5xx: a list is no count"),
    ("timeout", float("nan"), "timeout: nan is no count"),
    ("connect", HUGE, "is no count"),
    ("endTime", "late", 'endTime: "late" is no number'),
    ("endTime", 5, "endTime: it is before startTime"),
]


@pytest.mark.parametrize(("key", "value", "why"), POWER)
def test_a_broken_run_of_a_round_is_told_by_its_key(key: str, value: object, why: str) -> None:
    rows, [(row, says)] = told(power_round({"json": [{}, {key: value}], "query": [{}, {}]}))
    assert (rows, row) == (3, "json, sparrow, run 2") and why in says


@pytest.mark.parametrize("run", [None, 5, [], "fast"], ids=str)
def test_a_run_that_is_no_object_is_told(run: object) -> None:
    document = power_round({"json": [{}, {}]})
    document["rawData"]["json"]["sparrow"][0] = run
    document["rawData"]["json"]["robin"] = 7
    document["rawData"]["fortune"] = [POWER_RUN]
    rows, unread = told(document)
    assert (rows, [row for row, _ in unread]) == (1, ["json, sparrow, run 1", "json, robin, run 1", "fortune"])


@pytest.mark.parametrize("levels", ["16", {}, [16, "512"], [16, None], [16, -5], [True, 16], 5], ids=str)
def test_levels_that_are_no_counts_break_the_rows_of_their_tests(levels: object, snapshot: object) -> None:
    document = power_round({"json": [{}, {}], "plaintext": [{}, {}]}) | {"concurrencyLevels": levels}
    rows, unread = told(document)
    if levels == {}:
        assert (rows, unread) == (4, [])  # as where there is none: whose levels these are is not known
    else:
        assert rows == 2
        assert {why for _, why in unread} == snapshot


@pytest.mark.parametrize("entries", [5, [None], {"a": 1}, [{"name": 5}]], ids=str)
def test_what_a_round_says_of_its_frameworks_breaks_no_row(entries: object) -> None:
    document = power_round({"json": [{}, {}]}) | {"testMetadata": entries, "frameworks": entries}
    assert told(document) == (2, [])


BENCHMARKER = [
    ("percentile_50", "fast", 'percentile50: "fast" is no number'),
    ("percentile_99", -7, "percentile99: -7 is negative"),
    ("total_requests_per_s", None, "totalrequestspers: missing"),
    ("total_requests_per_s", float("nan"), "totalrequestspers: nan is no figure"),
    ("average_latency", HUGE, "is no figure"),
    ("maximum_latency", [], "maximumlatency: a list is no number"),
]


@pytest.mark.parametrize(("label", "value", "why"), BENCHMARKER)
def test_a_broken_figure_of_a_framework_is_told_by_its_key(label: str, value: object, why: str) -> None:
    document = benchmarker(BY_WRK | {label: value})
    document["metrics"] += benchmarker(BY_WRK, level=256)["metrics"]
    rows, [(row, says)] = told(document)
    assert (rows, row) == (1, "go/sparrow, 64 connections") and why in says


def test_a_figure_that_stands_twice_with_different_values_breaks_its_row(snapshot: object) -> None:
    document = benchmarker(BY_WRK)
    document["metrics"] += [document["metrics"][6], *benchmarker(BY_WRK, level=256)["metrics"]]
    assert told(document) == (2, [])
    document["metrics"].append({"level": 64, "label": "percentile_50", "value": 1, "framework_id": 7})
    assert told(document)[1] == snapshot


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (None, "null is no object"),
        ({"level": 64, "label": "x", "framework_id": []}, "framework_id: a list is no count"),
        ({"level": "x", "label": "x", "framework_id": 7}, 'level: "x" is no count'),
        ({"level": 64, "label": 5, "framework_id": 7}, "label: 5 is no name"),
        ({"level": 64, "value": 5}, "framework_id, label: missing"),
    ],
    ids=str,
)
def test_a_metric_that_is_none_is_told_by_its_place(entry: object, why: str) -> None:
    document = benchmarker(BY_WRK)
    document["metrics"].insert(0, entry)
    document["frameworks"].append({"id": 8})
    rows, unread = told(document)
    assert rows == 1
    assert unread == [("framework 2 of the list", "language: null is no name"), ("metric 1 of the list", why)]


@pytest.mark.parametrize(
    "document",
    [
        arena_profile({"rps": "fast"}),
        power_round({"json": [{"latencyAvg": 5}]}),
        benchmarker(BY_WRK | {"percentile_50": "fast"}),
    ],
    ids=["HttpArena", "TechEmpower", "the-benchmarker"],
)
def test_a_file_of_which_nothing_can_be_read_is_refused(tmp_path: Path, document: object, snapshot: object) -> None:
    file = tmp_path / "data.json"
    file.write_text(text_of(document))
    with pytest.raises(Problem) as caught:
        read_evidence([file])
    assert str(caught.value) == snapshot
    assert caught.value.remedy
    with pytest.raises(Problem):
        read_rows(file)


def test_what_was_not_read_is_in_every_report_and_no_verdict(tmp_path: Path) -> None:
    hostile = "<b>\x1b[2J[red]"
    file = tmp_path / "baseline-512.json"
    file.write_text(text_of(arena_profile({}, *({"framework": hostile, "rps": f"<i>{place}"} for place in range(20)))))
    outputs = {option: tmp_path / f"out.{option}" for option in ("json", "csv", "html")}
    options = (word for option, output in outputs.items() for word in (f"--{option}", output))
    finished = cross_examine(file, *options)
    assert finished.exit_code == 3 and "\x1b" not in finished.output
    assert 'row 2 (<b>\\x1b[2J[red], baseline-512): rps: "<i>0" is no number' in finished.output
    assert "Not read: 20 rows" in finished.output and "and 8 more" in finished.output
    assert "→ correct these keys" in finished.output
    assert len(json.loads(outputs["json"].read_text())["unread_rows"]) == 20
    assert len(list(csv.DictReader(outputs["csv"].read_text().splitlines()))) == 1
    page = outputs["html"].read_text()
    assert "Not read: 20 rows" in page and "&lt;i&gt;0" in page and "<i>0" not in page


def test_a_contradiction_stays_one_beside_a_row_that_is_not_read() -> None:
    document = arena_framework({"baseline-512": {"avg_latency": "5.20ms"}, "json-512": {"rps": ""}})
    finished = cross_examine(typed=text_of(document))
    assert finished.exit_code == 1 and "Not read: 1 row" in finished.output, finished.output


def test_rows_of_which_nothing_is_read_count_among_those_that_a_file_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairtrial_cross_examine.boards.MOST_ROWS", 2)
    with pytest.raises(ValueError, match="more than 2 rows"):
        read_board(text_of([ARENA_ROW, None, None]), "data.json")


def test_an_examination_of_what_is_read_is_the_same_with_and_without_broken_rows(tmp_path: Path) -> None:
    whole, broken = tmp_path / "json-512.json", tmp_path / "broken" / "json-512.json"
    broken.parent.mkdir()
    whole.write_text(text_of(arena_profile({}, {"avg_latency": "5.20ms"})))
    broken.write_text(text_of(arena_profile({}, {"rps": None}, {"avg_latency": "5.20ms"}, {"connections": "x"})))
    of_whole, of_broken = (examine_output(read_evidence([file])) for file in (whole, broken))
    assert of_whole.rows == of_broken.rows and of_whole.contradictions == of_broken.contradictions


def test_half_a_character_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / "baseline-512.json"
    file.write_text(text_of(arena_profile({"framework": "a\ud800"}, {"language": "\udc00", "rps": "\ud83d"})))
    outputs = {option: tmp_path / f"out.{option}" for option in ("json", "csv", "html")}
    finished = cross_examine(file, *(word for option, output in outputs.items() for word in (f"--{option}", output)))
    assert finished.exit_code == 3, finished.exception
    assert all("a?" in output.read_text(encoding="utf-8") for output in [outputs["json"], outputs["csv"]])
