"""Steps and drifts of a series of runs, against known answers, and how often one is seen where nothing changed."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial.judge.statistics.change_points import course_of

SERIES = 60
"""Of each kind: a share of 5% is then within 0 and 8 of them, 99.7% of the time."""
MOST_FALSE_ALARMS = 8


def noise(spread: float, runs: int = 20, seed: int = 43) -> NDArray[np.float64]:
    """Runs whose logarithms scatter by so much, shape (SERIES, runs)."""
    return np.random.default_rng(seed).normal(0, spread, (SERIES, runs))


def steps_of(logs: NDArray[np.float64]) -> list[list[int]]:
    return [[step.index for step in course_of(np.exp(each).tolist()).steps] for each in logs]


@pytest.mark.parametrize("spread", [0.02, 0.05])
def test_where_nothing_changed_at_most_five_in_a_hundred_series_show_a_step(spread: float) -> None:
    assert sum(map(bool, steps_of(noise(spread)))) <= MOST_FALSE_ALARMS


@pytest.mark.parametrize(
    ("step", "spread", "least"),
    [(-0.05, 0.02, 48), (-0.10, 0.02, 56), (-0.10, 0.05, 36), (0.10, 0.02, 56)],
)
def test_one_step_of_twenty_runs_is_found_within_a_run(step: float, spread: float, least: int) -> None:
    logs = noise(spread)
    logs[:, 10:] += math.log1p(step)
    assert sum(len(found) == 1 and abs(found[0] - 10) <= 1 for found in steps_of(logs)) >= least


def test_the_interval_of_a_steps_size_contains_it() -> None:
    logs = noise(0.02)
    logs[:, 10:] += math.log(0.9)
    ratios = [course.steps[0].ratio for each in logs if len((course := course_of(np.exp(each).tolist())).steps) == 1]
    inside = sum(ratio.interval is not None and ratio.interval[0] <= 0.9 <= ratio.interval[1] for ratio in ratios)
    assert inside >= 0.85 * len(ratios) > 40


def test_a_step_of_four_last_runs_is_found() -> None:
    logs = noise(0.02)
    logs[:, 16:] += math.log(0.9)
    assert sum(found == [16] for found in steps_of(logs)) >= 50


def test_there_and_back_is_two_steps() -> None:
    logs = noise(0.02, runs=30)
    logs[:, 10:20] += math.log(0.9)
    assert sum(found == [10, 20] for found in steps_of(logs)) >= 45


def test_one_slow_run_is_no_step() -> None:
    logs = noise(0.02)
    logs[:, 10] += math.log(0.7)
    assert sum(map(bool, steps_of(logs))) <= MOST_FALSE_ALARMS


def test_a_drift_is_no_step() -> None:
    logs = noise(0.01) + np.linspace(0, math.log(0.85), 20)
    courses = [course_of(np.exp(each).tolist()) for each in logs]
    drifts = [course.drift for course in courses if course.drift is not None]
    assert len(drifts) >= 42
    assert np.median(drifts) == pytest.approx(0.85, abs=0.01)
    assert all(not course.steps for course in courses if course.drift is not None)


def test_a_clean_step_is_where_it_is_and_as_large_as_it_is() -> None:
    (step,) = course_of([100.0] * 7 + [90.0] * 8).steps
    assert (step.index, step.ratio.estimate) == (7, pytest.approx(0.9))
    assert step.ratio.interval == pytest.approx((0.9, 0.9))


def test_a_short_series_and_a_constant_one_show_nothing() -> None:
    assert course_of([100.0, 100, 100, 50, 50, 50, 50, 50, 50]) == course_of([7.0] * 30)
    assert course_of([7.0] * 30).steps == () and course_of([7.0] * 30).drift is None
