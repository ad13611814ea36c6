import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from fairtrial.judge.statistics.estimate import over_blocks, paired_ratio
from fairtrial.judge.statistics.median import median_interval
from fairtrial.judge.statistics.planning import blocks_to_decide
from fairtrial.judge.statistics.student import mean_interval, p_values
from fairtrial.judge.statistics.support import supports_percentile

Interval = Callable[..., tuple[float, float] | None]


def test_a_mean_has_students_interval() -> None:
    """By hand: of 1, 2, 3, 4, 5 the mean is 3, the standard error 0.7071, and t at 4 degrees of freedom 2.7764."""
    result = mean_interval(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert result == pytest.approx((3 - 2.7764 * 0.70711, 3 + 2.7764 * 0.70711), abs=1e-4)


def test_an_interval_agrees_with_the_library() -> None:
    values = np.random.default_rng(3).normal(10, 1, 40)
    expected = stats.t.interval(0.99, 39, values.mean(), stats.sem(values))
    assert mean_interval(values, 0.99) == pytest.approx(expected)


def test_p_values_are_those_of_students_test() -> None:
    samples = np.random.default_rng(4).normal(0.3, 1, (8, 5))
    assert p_values(samples) == pytest.approx(stats.ttest_1samp(samples, 0).pvalue)


def test_p_values_without_spread_or_blocks() -> None:
    assert p_values(np.array([[1.0, 0.0]] * 4)).tolist() == [0, 1]
    assert p_values(np.array([[1.0], [2.0]])).tolist() == [1]


@pytest.mark.parametrize("interval", [mean_interval, median_interval])
def test_fewer_than_three_blocks_have_no_interval(interval: Interval) -> None:
    assert interval(np.array([])) is None
    assert interval(np.array([1.0])) is None
    assert interval(np.array([1.0, 2.0])) is None
    assert interval(np.array([1.0, 2.0, 3.0])) is not None


@pytest.mark.parametrize("interval", [mean_interval, median_interval])
@pytest.mark.parametrize("blocks", [3, 8])
def test_equal_blocks_have_an_interval_of_no_width(interval: Interval, blocks: int) -> None:
    assert interval(np.full(blocks, 4.0)) == (4.0, 4.0)


@pytest.mark.parametrize("interval", [mean_interval, median_interval])
def test_a_level_lies_between_0_and_1(interval: Interval) -> None:
    with pytest.raises(ValueError, match="level"):
        interval(np.array([1.0, 2.0, 3.0]), 1.0)


def test_depths_of_a_median_are_interpolated() -> None:
    """By hand, of ten values: 1 - 2 P(B < 2) = 0.97852 and 1 - 2 P(B < 3) = 0.89063, so I = 0.32444 and
    λ = 8 I / (2 + 6 I) = 0.65770 of the way from the second to the third."""
    result = median_interval(np.arange(1.0, 11.0))
    assert result == pytest.approx((2.65770, 8.34230), abs=1e-4)


def test_where_the_range_is_the_level_it_is_the_interval() -> None:
    values = np.array([5.0, 1.0, 9.0, 2.0, 7.0, 4.0])
    assert median_interval(values, 1 - 2**-5) == pytest.approx((1, 9))


def test_five_blocks_cannot_hold_a_median_by_their_range() -> None:
    values = np.array([1.0, 1.1, 1.2, 1.3, 4.0])
    assert median_interval(values) == mean_interval(values)


def test_a_single_slow_start_does_not_move_a_median() -> None:
    usual = [100.0, 101.0, 99.0, 102.0, 98.0, 100.5, 99.5]
    assert over_blocks([*usual, 5.0]).estimate == pytest.approx(over_blocks(usual).estimate, rel=0.01)


def test_skewed_blocks_have_a_skewed_interval() -> None:
    result = over_blocks([1.0, 1.1, 1.2, 1.3, 1.4, 4.0, 9.0])
    assert result.interval is not None
    assert result.interval[1] / result.estimate > result.estimate / result.interval[0]


def test_an_estimate_is_the_median_and_its_interval_is_positive() -> None:
    estimated = over_blocks([100, 200, 600])
    assert estimated.estimate == pytest.approx(200)
    assert estimated.interval is not None
    assert 0 < estimated.interval[0] < 200 < estimated.interval[1]


def test_figures_of_zero_are_taken_as_they_are() -> None:
    assert over_blocks([0, 1, 5]).estimate == pytest.approx(1)
    with pytest.raises(ValueError, match="at least one"):
        over_blocks([])


def test_what_slows_a_whole_block_cancels_in_the_ratio() -> None:
    drift = [1.0, 0.5, 0.7, 1.4, 0.9]
    ratio = paired_ratio([3000 * each for each in drift], [1000 * each for each in drift])
    assert ratio.estimate == pytest.approx(3)
    assert ratio.interval == pytest.approx((3, 3))


def test_a_ratio_is_the_geometric_mean_of_the_blocks() -> None:
    assert paired_ratio([2.0, 8.0, 4.0], [1.0, 1.0, 1.0]).estimate == pytest.approx(4)


@pytest.mark.parametrize(("of", "to"), [([1.0], [1.0, 2.0]), ([0.0, 1.0], [1.0, 1.0]), ([1.0, 1.0], [1.0, -1.0])])
def test_without_pairs_of_positive_values_there_is_no_ratio(of: list[float], to: list[float]) -> None:
    with pytest.raises(ValueError, match="ratio"):
        paired_ratio(of, to)


@pytest.mark.parametrize(
    ("samples", "percentile", "supported"),
    [(20, 50, True), (19, 50, False), (1000, 99, True), (999, 99, False), (10_000, 99.9, True), (9_999, 99.9, False)],
)
def test_a_percentile_needs_ten_samples_above_it(samples: int, percentile: float, supported: bool) -> None:
    assert supports_percentile(samples, percentile) is supported


def test_what_ten_samples_above_are_worth() -> None:
    """What `supports_percentile` says: at n(1-q) = 10, p99 lies between the true p98.4 and p99.6, 95 times in 100."""
    above = stats.binom(1000, 0.01)
    inside = above.cdf(16) - above.cdf(3)
    assert inside > 0.95


def test_projected_blocks_follow_student() -> None:
    ratios = [2.0, 2.2, 1.9, 2.1, 2.3]
    needed = blocks_to_decide(ratios, [1.95])
    assert needed is not None
    logs = np.log(ratios)
    distance = abs(logs.mean() - math.log(1.95))

    def half_width(blocks: int) -> float:
        return float(stats.t.ppf(0.975, blocks - 1) * logs.std(ddof=1) / math.sqrt(blocks))

    assert half_width(needed) < distance <= half_width(needed - 1)


def test_an_estimate_on_the_bound_is_never_decided() -> None:
    assert blocks_to_decide([2.0, 2.0, 2.1, 1.9048], [2.0]) is None
    assert blocks_to_decide([2.0], [1.0]) is None
