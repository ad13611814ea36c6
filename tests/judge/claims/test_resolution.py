"""Figures that are read in steps: where all blocks show the same one, a difference within the step decides nothing."""

from typing import Any

import pytest

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import Estimate, Resolution, at_resolution
from fairtrial.record.processes import Readiness
from fairtrial.record.slices import Slicing
from tests.builders import a_trial, an_experiment, trials_of
from tests.builders.figures import a_slice


def starting(a_seconds: float, b_seconds: float, **claim: Any) -> ClaimResult:
    """A verdict on start-up times that are the same in every block."""
    record = an_experiment("a", "b", blocks=10).claiming("a", "b", metric="start_up", **claim).record()
    seconds = {"a": a_seconds, "b": b_seconds}
    trials = [
        trial.model_copy(update={"readiness": Readiness(start_up_seconds=seconds[trial.condition[0]], rss_bytes=1)})
        for trial in trials_of(record, a_trial())
    ]
    return judge(record, trials, interrupted=False).claims[0]


@pytest.mark.parametrize(
    ("a", "b", "claim", "verdict"),
    [
        (0.218, 0.222, {"at_most": 0.99}, "undecided"),
        (0.218, 0.222, {"at_least": 0.98}, "undecided"),
        (0.200, 0.200, {"at_least": 1}, "undecided"),
        (0.200, 0.400, {"at_most": 0.8}, "upheld"),
        (0.200, 0.400, {"at_least": 0.8}, "refuted"),
        (2.200, 2.220, {"at_most": 1.05}, "upheld"),
    ],
)
def test_a_start_is_seen_to_twenty_milliseconds(a: float, b: float, claim: dict[str, Any], verdict: str) -> None:
    assert starting(a, b, **claim).verdict == verdict


def test_processor_time_is_counted_in_ticks() -> None:
    """Two equal contenders whose ticks are the same in each block: neither is proven to use less, and both use the same
    but for the step."""
    record = (
        an_experiment("a", "b", blocks=20)
        .claiming("a", "b", metric="server_cpu_per_1000_requests", at_least=1)
        .claiming("a", "b", metric="server_cpu_per_1000_requests", at_least=0.9)
        .record()
    )
    on_edge, clear = judge(record, trials_of(record, a_trial()), interrupted=False).claims
    assert on_edge.interval is not None and on_edge.interval[0] < 1 < on_edge.interval[1]
    assert (on_edge.verdict, clear.verdict) == ("equal", "upheld")


def test_an_interval_is_widened_to_the_step_and_no_further() -> None:
    narrow = Estimate(estimate=10.0, interval=(9.9, 10.0), blocks=5)
    assert at_resolution(narrow, Resolution(1.0)).interval == (9.0, 11.0)
    assert at_resolution(narrow, Resolution(0.25), is_ratio=True).interval == (8.0, 12.5)
    wide = Estimate(estimate=10.0, interval=(5.0, 20.0), blocks=5)
    assert at_resolution(wide, Resolution(1.0)) == wide
    assert at_resolution(narrow, Resolution()) == narrow


def test_an_interval_reaches_further_where_values_may_all_be_off_to_one_side() -> None:
    estimate = Estimate(estimate=10.0, interval=(8.0, 12.0), blocks=5)
    assert at_resolution(estimate, Resolution(below=1.0, above=0.5)).interval == (7.0, 12.5)
    assert at_resolution(estimate, Resolution(below=0.6, above=0.25), is_ratio=True).interval == (5.0, 15.0)


def test_what_a_server_takes_from_the_others_while_it_is_idle_is_in_the_interval() -> None:
    """Just inside of busy-while-idle: 4% of a processor in each of the others' slices."""
    record = an_experiment("a", "b", blocks=10).claiming("a", "b", at_least=1).record()
    lows = []
    for idle_seconds in (0.0, 0.4):
        slicing = {"planned_rounds": 12, "rule": "quiet", "slices": [a_slice(1, 0.02, kept=True)], "idle_seconds": 10}
        trials = [
            trial.model_copy(update={"slices": Slicing.model_validate(slicing | {"idle_cpu_seconds": seconds})})
            for trial in trials_of(record, a_trial())
            for seconds in [idle_seconds if trial.condition.startswith("a") else 0.0]
        ]
        interval = judge(record, trials, interrupted=False).claims[0].interval
        assert interval is not None
        lows.append(interval[0])
    assert lows == pytest.approx([1, 0.96])
