"""Times that are lower bounds, wherever a result is shown."""

import io
import json
import re

import pytest
from rich.console import Console

from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report.charts import percentile_chart, verdict_chart
from fairtrial.report.columns import LOWER_BOUNDS
from fairtrial.report.html import html_text
from fairtrial.report.markdown import markdown_text
from fairtrial.report.terminal import print_result
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.lines import lines_with

Judged = tuple[Result, ExperimentRecord, list[TrialRecord]]


def judged(bounds_from_seconds: float) -> Judged:
    """`a` with a p99 of 16 ms and lower bounds among its times; `b` with the same and none."""
    record = (
        an_experiment("a", "b")
        .stating("budget", of="a", metric="response_time_p99", at_most="10 ms")
        .stating("budget", of="b", metric="response_time_p99", at_most="10 ms")
        .record()
    )

    def make(name: str, _block: int) -> TrialBuilder:
        return a_trial().unanswered_from(bounds_from_seconds) if name == "a" else a_trial()

    trials = trials_of(record, make)
    return judge(record, trials, interrupted=False), record, trials


@pytest.fixture(scope="module")
def bounded() -> Judged:
    return judged(0.015)


def printed(result: Result) -> str:
    file = io.StringIO()
    print_result(result, Console(file=file, width=140))
    return file.getvalue()


def test_the_result_says_which_figures_are_lower_bounds(bounded: Judged) -> None:
    a, b = bounded[0].conditions
    marks = {key: figure.is_lower_bound for key, figure in a.figures.items() if figure is not None}
    assert {key for key, is_one in marks.items() if is_one} == {
        "response_time_p99_seconds",
        "response_time_p99.9_seconds",
        "response_time_max_seconds",
    } & marks.keys()
    assert marks["response_time_p99_seconds"] and not marks["response_time_p50_seconds"]
    assert not any(figure.is_lower_bound or figure.open_above for figure in b.figures.values() if figure is not None)
    times = [trial.response_time for each in (a, b) for trial in each.trials]
    assert {each.at_least_seconds for each in times if each} == {0.015, None}
    written = json.loads(bounded[0].model_dump_json())["conditions"][0]["figures"]["response_time_p99_seconds"]
    assert (written["is_lower_bound"], written["open_above"]) == (True, True)


def test_tables_mark_them(bounded: Judged, snapshot: object) -> None:
    terminal, text = printed(bounded[0]), markdown_text(bounded[0])
    assert re.search(r"^a .* 4\.00 +> 16\.0 +> \d", terminal, re.MULTILINE), terminal
    assert re.search(r"^b .* 4\.00 +16\.0 +\d", terminal, re.MULTILINE), terminal
    assert re.search(r"^\| a .* \| 4\.00 \| > 16\.0 \| > \d", text, re.MULTILINE), text
    assert re.search(r"^\| b .* \| 4\.00 \| 16\.0 \| \d", text, re.MULTILINE), text
    assert LOWER_BOUNDS in " ".join(terminal.split())
    assert lines_with(terminal, "asked:") == snapshot
    assert r"\> 16.0 ms (16.0 ms to \> 16.0 ms)" in text


def test_the_page_marks_them_in_its_tables_and_charts(bounded: Judged) -> None:
    page = html_text(*bounded)
    assert page.count('data-label="p99 ms">&gt; 16.0') == 1 + 5  # the table of conditions, and five trials
    assert page.count('data-label="p99 ms">16.0') == 1 + 5
    assert "triangle is a lower bound" in page
    chart = percentile_chart(bounded[0], bounded[2])
    assert chart is not None
    line, triangles = chart["layer"]
    points = triangles["data"]["values"]
    assert {point["name"] for point in points} == {"a"} and "p50" not in {point["percentile"] for point in points}
    assert {point["label"][:2] for point in points} == {"> "} and len(line["data"]["values"]) > len(points)
    shapes = [verdict_chart(claim)["layer"][3]["mark"]["shape"] for claim in bounded[0].claims]  # type: ignore[index]
    assert shapes == ["triangle-right", "circle"]


def test_times_below_all_bounds_are_marked_nowhere() -> None:
    record = an_experiment("a", "b").record()
    trials = trials_of(record, a_trial())
    result = judge(record, trials, interrupted=False)
    page = html_text(result, record, trials)
    assert "&gt; " not in page and "A triangle" not in page and "> " not in markdown_text(result)
    assert LOWER_BOUNDS not in printed(result)
