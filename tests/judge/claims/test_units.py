"""Bounds carry units: what a file may write, what records hold, and that figures and bounds are said in one unit."""

import io
import json
from typing import Any

import pytest
from pydantic import ValidationError
from rich.console import Console

from fairtrial.judge.claims import validate_claim
from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult, Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report.charts import verdict_chart
from fairtrial.report.html import html_text
from fairtrial.report.junit import junit_text
from fairtrial.report.markdown import markdown_text
from fairtrial.report.terminal import print_result
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.claims.scene import WOBBLE, verdict


def validated(kind: str, metric: str, **keys: Any) -> None:
    other = {"to": "b"} if kind in ("difference", "ratio") else {}
    experiment = an_experiment("a", "b").stating(kind, of="a", metric=metric, **other, **keys).record().experiment
    validate_claim(experiment.claims[0], experiment)


@pytest.mark.parametrize(
    ("metric", "bound"),
    [
        ("response_time_p99", "50 ms"),
        ("settle", "1.5 min"),
        ("peak_rss", "100 MiB"),
        ("goodput", "2,000/s"),
        ("errors", "5%"),
    ],
)
@pytest.mark.parametrize("kind", ["budget", "difference"])
@pytest.mark.parametrize("key", ["at_least", "at_most", "about"])
def test_bounds_with_units_are_accepted(kind: str, key: str, metric: str, bound: str) -> None:
    validated(kind, metric, **{key: bound})


@pytest.mark.parametrize(
    ("kind", "metric", "bounds"),
    [
        ("budget", "response_time_p99", {"at_most": 50}),
        ("difference", "settle", {"at_least": 0}),
        ("budget", "peak_rss", {"about": 100}),
        ("budget", "goodput", {"at_least": 2000}),
        ("budget", "errors", {"at_most": 0.05}),
        ("budget", "response_time_p99", {"at_most": "50 MiB"}),
        ("difference", "errors", {"about": "5 ms"}),
    ],
)
def test_a_bound_that_does_not_fit_is_answered_with_what_to_write(
    kind: str, metric: str, bounds: dict[str, Any], snapshot: object
) -> None:
    with pytest.raises(ValueError) as error:
        validated(kind, metric, **bounds)
    assert str(error.value) == snapshot


def test_a_ratio_has_no_unit(snapshot: object) -> None:
    validated("ratio", "response_time_p99", at_most=2)
    with pytest.raises(ValidationError) as error:
        validated("ratio", "response_time_p99", at_most="2 ms")
    assert [each["msg"] for each in error.value.errors()] == snapshot


@pytest.mark.parametrize(
    "bounds",
    [
        {"at_most": "50"},
        {"at_most": "50 parsec"},
        {"at_most": True},
        {"at_most": float("nan")},
        {"about": "0 ms"},
        {"at_least": "1 s", "at_most": "50 ms"},
    ],
)
def test_bounds_that_make_no_sense(bounds: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        validated("budget", "response_time_p99", **bounds)
    assert [each["msg"] for each in error.value.errors()] == snapshot


def measured(bound: object, **keys: Any) -> tuple[Result, ExperimentRecord, list[TrialRecord]]:
    """A budget about one condition whose p99 is about 6.67 ms: four times 16 connections / 9,600 answers a second."""
    keys = {"of": "a", "metric": "response_time_p99", "at_most": bound} | keys
    record = an_experiment("a").stating("budget", **keys).record()
    trials = trials_of(record, lambda _, block: a_trial().serving(9600 * WOBBLE[block % 5]))
    return judge(record, trials, interrupted=False), record, trials


def claim_on(bound: object) -> ClaimResult:
    return measured(bound)[0].claims[0]


def printed(result: Result) -> str:
    file = io.StringIO()
    print_result(result, Console(file=file, width=200, no_color=True), None)
    return file.getvalue()


def test_figure_and_bound_are_said_in_one_unit_everywhere(snapshot: object) -> None:
    result, record, trials = measured("50 ms", published=0.04)
    (claim,) = result.claims
    assert (claim.verdict, claim.at_most, claim.asked) == ("upheld", 0.05, "at most 50 ms")
    assert claim.sentence == snapshot
    assert printed(result) == snapshot
    assert markdown_text(result) == snapshot
    assert "6.67 ms" in junit_text(result) and "at most 50 ms" in junit_text(result)
    page = html_text(result, record, trials)
    assert "<strong>6.67 ms</strong> (6.54 ms to 6.80 ms)" in page and "asked: at most 50 ms" in page
    chart = verdict_chart(claim)
    assert chart is not None and {"bound": 50.0} in chart["layer"][1]["data"]["values"]


@pytest.mark.parametrize(
    ("bound", "figure", "asked"),
    [
        ("50 ms", "6.67 ms", "at most 50 ms"),
        ("50000 us", "6,667 µs", "at most 50,000 µs"),
        ("0.05 s", "0.0067 s", "at most 0.05 s"),
        (0.05, "6.67 ms", "at most 50 ms"),
        (2, "0.0067 s", "at most 2 s"),
    ],
)
def test_the_unit_is_that_of_the_bound(bound: object, figure: str, asked: str) -> None:
    claim = claim_on(bound)
    assert claim.asked == asked
    assert f"was {figure} (" in claim.sentence


def test_beside_a_bound_of_zero_the_unit_is_that_of_the_figure() -> None:
    claim = claim_on("0 s")
    assert claim.verdict == "refuted"
    assert claim.asked == "at most 0 ms" and "was 6.67 ms (" in claim.sentence


def test_a_slip_is_no_longer_upheld() -> None:
    """50, meant as milliseconds, once came out upheld as 50 seconds."""
    assert claim_on("5 ms").verdict == "refuted"
    with pytest.raises(ValueError, match='write "5 ms" or "5 s"'):
        validated("budget", "response_time_p99", at_most=5)


def test_a_record_holds_the_bound_as_it_was_written() -> None:
    record = an_experiment("a").stating("budget", of="a", metric="peak_rss", at_most="1 GB").record()
    line = record.model_dump_json()
    assert json.loads(line)["experiment"]["claims"][0]["at_most"] == "1 GB"
    assert ExperimentRecord.model_validate_json(line) == record


def test_a_record_from_before_bounds_had_units_is_judged_as_ever() -> None:
    keys: dict[str, Any] = {"of": "a", "metric": "response_time_p99"}
    new = verdict("budget", lambda *_: a_trial(), "a", at_most="50 ms", **keys)
    old = verdict("budget", lambda *_: a_trial(), "a", at_most=0.05, **keys)
    assert old == new
    record = an_experiment("a").stating("budget", at_most=0.05, **keys).record()
    assert json.loads(record.model_dump_json())["experiment"]["claims"][0]["at_most"] == 0.05
    assert ExperimentRecord.model_validate_json(record.model_dump_json()) == record
