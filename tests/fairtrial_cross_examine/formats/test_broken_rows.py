"""Documents of many runs, one of which is broken: it is named, and the others are read."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial_cross_examine.model import PrintedRun
from fairtrial_cross_examine.read import read_evidence

COMMAND = {"command": "a", "mean": 0.1, "stddev": 0.01, "median": 0.1, "min": 0.09, "max": 0.2, "times": [0.1, 0.1]}
LABEL = {
    "sampleCount": 100,
    "errorCount": 0,
    "meanResTime": 12.5,
    "medianResTime": 12.0,
    "minResTime": 1.0,
    "maxResTime": 40.0,
    "throughput": 50.0,
}
HUGE = 10**40
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]


def read(tmp_path: Path, text: str) -> list[PrintedRun]:
    file = tmp_path / "x.json"
    file.write_text(text)
    return list(read_evidence([file]).runs)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (None, "it is no object"),
        (5, "it is no object"),
        ({"command": "b", "mean": 0.1}, "min: missing"),
        (COMMAND | {"command": "b", "mean": float("nan")}, "is not a number"),
        (COMMAND | {"command": "b", "max": HUGE}, "too large for a figure"),
    ],
    ids=str,
)
def test_a_broken_result_of_hyperfine_is_named(tmp_path: Path, row: object, why: str) -> None:
    first, broken, last = read(tmp_path, json.dumps({"results": [COMMAND, row, COMMAND | {"command": "c"}]}))
    assert (first.name, last.name) == ("x.json: a", "x.json: c") and first.has_figures and last.has_figures
    assert not broken.has_figures and broken.not_read == ["mean"] and why in broken.remarks[0]
    with pytest.raises(Problem, match="row 1: "):
        read(tmp_path, json.dumps({"results": [COMMAND | {"mean": float("nan")}]}))


def test_values_of_another_type_are_no_figures(tmp_path: Path) -> None:
    results = [COMMAND, COMMAND | {"command": "b", "mean": DEEP}, COMMAND | {"command": "c", "mean": "fast"}]
    assert [run.not_read for run in read(tmp_path, json.dumps({"results": results}))] == [[], ["mean"], ["mean"]]


def test_a_number_of_thousands_of_digits_is_no_figure(tmp_path: Path) -> None:
    text = json.dumps({"results": [COMMAND, COMMAND | {"command": "b", "mean": 1}]})
    runs = read(tmp_path, text.replace('"mean": 1,', f'"mean": {"9" * 5000},'))
    assert [run.not_read for run in runs] == [[], ["mean"]]


def test_a_broken_row_of_a_table_of_hyperfine_is_named(tmp_path: Path) -> None:
    csv = "command,mean,stddev,median,user,system,min,max\na,0.1,0.01,0.1,0,0,0.09,0.2\nb,fast,0.01,0.1,0,0,0.09,0.2\n"
    first, broken = read(tmp_path, csv)
    assert first.has_figures and not broken.has_figures and "'fast' is not a number" in broken.remarks[0]
    markdown = "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n"
    markdown += "| `a` | 10.1 ± 0.1 | 9.9 | 10.4 | 1.00 |\n| `b` | 1.2.3 ± 0.1 | 9.9 | 10.4 | 1.00 |\n"
    first, broken = read(tmp_path, markdown)
    assert first.has_figures and not broken.has_figures and broken.remarks


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (None, "it is no object"),
        ({"sampleCount": 5}, "errorCount, meanResTime, throughput: missing"),
        (LABEL | {"throughput": float("inf")}, "is not a number"),
        (LABEL | {"sampleCount": "many"}, "not supported between"),
        (LABEL | {"errorCount": []}, None),
        (LABEL | {"errorCount": "x"}, "invalid literal"),
    ],
    ids=str,
)
def test_a_broken_label_of_jmeter_is_named(tmp_path: Path, row: object, why: str | None) -> None:
    first, other = read(tmp_path, json.dumps({"GET /a": LABEL, "GET /b": row}))
    assert (first.name, other.name) == ("x.json: GET /a", "x.json: GET /b") and first.has_figures
    if why is not None:
        assert not other.has_figures and other.not_read and why in other.remarks[0]


def test_a_broken_row_of_a_table_of_jmeter_is_named(tmp_path: Path) -> None:
    head = "Label,# Samples,Average,Median,90% Line,95% Line,99% Line,Min,Max,Error %,Throughput\n"
    rows = "a,100,12,11,20,25,30,1,40,0.00%,50.0\nb,many,12,11,20,25,30,1,40,0.00%,50.0\n"
    first, broken = read(tmp_path, head + rows)
    assert first.has_figures and not broken.has_figures and broken.not_read and "many" in broken.remarks[0]


@pytest.mark.parametrize("metric", [None, 5, {}, {"name": "mine"}, {"name": "mine", "values": {"count": "x"}}], ids=str)
def test_a_metric_of_a_script_breaks_no_summary_of_k6(tmp_path: Path, metric: object) -> None:
    metrics = [
        {"name": "http_reqs", "values": {"count": 100}},
        {"name": "http_req_duration", "values": {"avg": 5.0, "min": 1.0, "max": 9.0}},
        metric,
    ]
    document = {"metadata": {"k6_version": "1.5.0"}, "config": {"duration": 10}, "results": {"metrics": metrics}}
    [run] = read(tmp_path, json.dumps(document))
    assert run.requests is not None and run.requests.value == 100


def test_half_a_character_can_be_written(tmp_path: Path) -> None:
    [run] = read(tmp_path, json.dumps({"results": [COMMAND | {"command": "a\ud800"}]}))
    assert run.name == "x.json: a?" and run.model_dump_json()
