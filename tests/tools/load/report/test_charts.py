"""The charts of a load's page."""

from typing import Any

import pytest

from fairtrial.load.open import OpenLoad
from fairtrial.load.ramp import RampLoad
from fairtrial.load.steps import LoadStep, StepsLoad
from fairtrial.record.engine_summary import AtLeast, SecondOfSeries
from fairtrial.report.vega import Spec
from fairtrial.tools.load.report.page import (
    distribution_chart,
    load_percentile_chart,
    rate_chart,
    time_chart,
)
from fairtrial.tools.load.request.command_load import CommandLoad
from tests.builders import a_trial
from tests.tools.load.measurements import closed, measured, measurement, open_measurement, plan

SECOND = SecondOfSeries(verified=30, errors=2, p50_seconds=0.001, p99_seconds=0.002, max_seconds=0.5)
QUIET_SECOND = SecondOfSeries(verified=0, errors=0)


def points(chart: Spec | None) -> list[dict[str, Any]]:
    """The data of a chart."""
    assert chart is not None
    values: list[dict[str, Any]] = chart["data"]["values"]
    return values


def counts(chart: Spec | None, what: str) -> list[float]:
    """The course of one of the lines of a rate chart."""
    return [point["count"] for point in points(chart) if point["name"] == what]


def test_the_distribution_holds_every_answer() -> None:
    load = measurement()
    assert sum(each["answers"] for each in points(distribution_chart(load))) == load.response_times.count


def test_without_answers_there_are_no_charts_of_times() -> None:
    engine = a_trial().serving(0).erring(refused=5).record().engine
    assert engine
    nothing = measured(closed(), plan(), engine)
    assert distribution_chart(nothing) is None
    assert load_percentile_chart(nothing) is None


def test_a_curve_of_percentiles_ends_where_the_sample_does() -> None:
    few = points(load_percentile_chart(measurement(a_trial().serving(100))))
    assert [(point["name"], point["percentile"]) for point in few] == [
        ("response time", percentile) for percentile in ("p50", "p75", "p90", "p95")
    ]


def test_an_open_load_has_a_curve_of_both_times() -> None:
    both = open_measurement(service_time=open_measurement().summary.response_time)
    assert {point["name"] for point in points(load_percentile_chart(both))} == {"response time", "service time"}


def test_percentiles_that_are_lower_bounds_are_triangles() -> None:
    load = open_measurement()
    bounds = AtLeast(count=20, min_seconds=250e-6, longest_other_seconds=0.1)
    told = load.summary.response_time.model_copy(update={"at_least": bounds})
    chart = load_percentile_chart(open_measurement(response_time=told))
    assert chart is not None
    curves, triangles = (layer["data"]["values"] for layer in chart["layer"])
    assert triangles == [each for each in curves if each["name"] == "response time" and each["milliseconds"] >= 0.25]
    assert triangles and all(each["label"].startswith("> ") for each in triangles)
    assert "layer" not in (load_percentile_chart(load) or {})


def test_charts_over_time_need_three_whole_seconds() -> None:
    short = measurement(series=[SECOND] * 3, window_seconds=2.9)
    assert rate_chart(short) is None
    assert time_chart(short) is None


def test_a_closed_load_shows_answers_and_errors() -> None:
    chart = rate_chart(measurement(series=[SECOND] * 3, window_seconds=3.0))
    assert counts(chart, "verified") == [30, 30, 30]
    assert counts(chart, "errors") == [2, 2, 2]
    assert counts(chart, "offered") == []


STEPS = [(200, 1), (1000, 1.5), (0, 0.5)]


@pytest.mark.parametrize(
    ("load", "offered"),
    [
        (OpenLoad(kind="open", rate_per_second=40), [40, 40, 40]),
        (RampLoad(kind="ramp", from_per_second=0, to_per_second=300), [50, 150, 250]),
        (
            StepsLoad(kind="steps", steps=[LoadStep(rate_per_second=rate, seconds=seconds) for rate, seconds in STEPS]),
            [200, 1000, 500],
        ),
    ],
)
def test_an_open_load_shows_what_it_offered(load: OpenLoad | RampLoad | StepsLoad, offered: list[float]) -> None:
    chart = rate_chart(measurement(load=CommandLoad(load), series=[SECOND] * 3, window_seconds=3.0))
    assert counts(chart, "offered") == pytest.approx(offered)


def test_times_over_the_window_leave_out_seconds_without_answers() -> None:
    chart = time_chart(measurement(series=[SECOND, QUIET_SECOND, SECOND], window_seconds=3.0))
    longest = [(point["second"], point["milliseconds"]) for point in points(chart) if point["name"] == "max"]
    assert longest == [(1, 500), (3, 500)]
