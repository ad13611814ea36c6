"""The checks of a run on one load by itself."""

from dataclasses import replace
from typing import Any

import pytest

from fairtrial.load.ramp import RampLoad
from fairtrial.record.engine_summary import SecondOfSeries
from fairtrial.tools.load.request.command_load import CommandLoad
from tests.builders import calm_network, times
from tests.tools.load.measurements import closed, measurement, open_measurement, with_trial


def refusing(load: CommandLoad | None = None) -> set[str]:
    """The checks that refuse a closed load of 16 connections whose answers account for half of their time."""
    return measurement(load=load, response_time=times(12_000, 0.002)).refusing


def test_figures_that_contradict_the_load_are_refused() -> None:
    assert refusing() == {"littles-law"}
    assert measurement().refusing == set()


@pytest.mark.parametrize(
    "load",
    [
        closed({"think_seconds": 0.1}),
        closed({"pipeline": 2}),
        closed({"requests": 12_000}),
        CommandLoad(RampLoad(kind="ramp", from_per_second=0, to_per_second=8000, connections=16)),
    ],
)
def test_a_load_that_no_experiment_has_is_judged_by_what_is_left(load: CommandLoad) -> None:
    assert refusing(load) == set()


def test_over_http2_requests_in_flight_are_streams() -> None:
    assert refusing(closed(connections=4, http2=True, streams=4)) == {"littles-law"}
    assert refusing(closed(connections=4, http2=True, streams=2)) == set()


def test_what_the_kernel_counted_is_examined() -> None:
    lost = calm_network().model_copy(update={"retransmitted_segments": 500})
    lossy = with_trial(open_measurement(), network=lost)
    assert [finding.check for finding in lossy.findings] == ["retransmits"]
    assert with_trial(open_measurement(), network=calm_network()).findings == []


def test_a_rate_that_changes_by_intent_is_no_drift() -> None:
    drifting = [
        SecondOfSeries(verified=1000, errors=0, p50_seconds=each / 1000, p99_seconds=each / 500, max_seconds=0.1)
        for each in range(1, 31)
    ]
    window: dict[str, Any] = {"series": drifting, "window_seconds": 30.0}
    assert "not-stationary" in open_measurement(**window).refusing
    ramp = CommandLoad(RampLoad(kind="ramp", from_per_second=0, to_per_second=8000, connections=64))
    assert replace(open_measurement(**window), load=ramp).findings == []
