"""Offering a load with the engine, and what its summary holds."""

import io
from typing import Any

import pytest
from rich.console import Console

from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.record.histogram import read_histogram
from fairtrial.tools.load.measure import Measurement, measure
from fairtrial.tools.load.request.command_load import CommandLoad
from tests.builders import TrialBuilder, a_trial
from tests.tools.load.conftest import Target
from tests.tools.load.measurements import closed, measurement, open_measurement


def measured_on(target: Target, load: CommandLoad, at_most_seconds: float | None = None) -> Measurement:
    requests = [Request(name="hello", path="/")]
    plan = EnginePlan(address=target.address, requests=requests, **load.engine_terms())
    return measure(Console(file=io.StringIO()), target.url, load, plan, at_most_seconds=at_most_seconds)


def test_histograms_agree_with_the_percentiles_of_the_engine(target: Target) -> None:
    # Of 4,987 times no listed percentile is a rank exactly, where rounding would decide.
    measured = measured_on(target, closed({"requests": 4987}, connections=8))
    summary = measured.summary
    assert summary.response_time.count == summary.service_time.count == 4987
    for times in (summary.response_time, summary.service_time, summary.connect_time):
        histogram = read_histogram(times.hdr_base64)
        assert histogram.count == times.count
        assert histogram.mean_seconds == pytest.approx(times.mean_seconds, rel=1e-3)
        for name, seconds in times.percentiles.items():
            assert times.max_seconds
            assert min(histogram.at(float(name)), times.max_seconds) == pytest.approx(seconds, rel=1e-3)


def test_a_load_that_is_ended_by_time_was_not_interrupted(target: Target) -> None:
    measured = measured_on(target, closed(connections=8, duration_seconds=600), at_most_seconds=0.3)
    assert not measured.summary.interrupted
    assert 0.2 < measured.summary.window_seconds < 60
    assert measured.exit_status == 0


@pytest.mark.parametrize(
    ("trial", "changes", "status"),
    [
        (a_trial(), {}, 0),
        (a_trial().erring(timeout=1), {}, 3),
        (a_trial().serving(0).erring(refused=5), {}, 4),
        (a_trial(), {"interrupted": True}, 130),
    ],
)
def test_exit_status(trial: TrialBuilder, changes: dict[str, Any], status: int) -> None:
    assert measurement(trial, **changes).exit_status == status


def test_open_and_closed_loads() -> None:
    assert open_measurement().is_open
    assert not measurement().is_open
