from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from fairtrial.judge.statistics.estimate import Estimate, over_blocks, paired_difference, paired_ratio
from fairtrial.judge.statistics.median import median_interval, median_p_values
from fairtrial.judge.statistics.planning import blocks_to_decide
from fairtrial.judge.statistics.student import mean_interval, mean_p_values
from fairtrial.judge.statistics.support import supports_percentile
from tests.judge.statistics import error_rates

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
    assert mean_p_values(samples) == pytest.approx(stats.ttest_1samp(samples, 0).pvalue)


def test_p_values_without_spread_or_blocks() -> None:
    assert mean_p_values(np.array([[1.0, 0.0]] * 4)).tolist() == [0, 1]
    assert mean_p_values(np.array([[1.0], [2.0]])).tolist() == [1]


@pytest.mark.parametrize("blocks", [3, 5, 6, 7, 10, 21])
def test_a_median_is_not_zero_at_five_percent_where_its_interval_leaves_zero_out(blocks: int) -> None:
    samples = np.random.default_rng(blocks).normal(0.5, 1, (blocks, 400))
    intervals = [median_interval(column) or (0, 0) for column in samples.T]
    excludes = [not low <= 0 <= high for low, high in intervals]
    assert (median_p_values(samples) < 0.05).tolist() == excludes
    assert 10 < sum(excludes) < 390


def test_a_medians_p_value_is_the_interval_turned_round() -> None:
    samples = np.random.default_rng(6).normal(0.3, 1, (12, 50))
    for column, p_value in zip(samples.T, median_p_values(samples), strict=True):
        if 2**-11 < p_value < 1:
            low, high = median_interval(column, float(1 - p_value)) or (1, 1)
            assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-9)


def test_a_medians_p_value_where_every_block_agrees() -> None:
    """By hand: eight values on one side have a p-value of 2 / 2^8; by Student it may be less, and is never more."""
    few = np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 9.0])
    assert median_p_values(few[:, None]).tolist() == [2**-7]
    alike = np.array([1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.0, 1.02])
    assert median_p_values(alike[:, None]) == pytest.approx(stats.ttest_1samp(alike, 0).pvalue)
    assert median_p_values(-alike[:, None]) == pytest.approx(median_p_values(alike[:, None]))


def test_a_median_of_zero_has_the_p_value_one() -> None:
    samples = np.array([[-1.0, 0.0], [-2.0, 0.0], [-3.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    assert median_p_values(samples).tolist() == [1, 1]


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
    values = np.array([1.0, 1.1, 1.2, 1.3, 1.6])
    assert median_interval(values) == mean_interval(values)


def test_an_interval_reaches_over_a_wide_gap_and_nothing_is_interpolated_there() -> None:
    five = np.array([1.0, 1.1, 1.2, 1.3, 4.0])
    by_student, reaching = mean_interval(five), median_interval(five)
    assert by_student is not None and by_student[1] < 4
    assert reaching == (by_student[0], 4.0)
    six = np.array([1.0, 1.1, 1.2, 1.3, 1.4, 4.0])
    interval = median_interval(six)
    assert interval is not None and 1.0 < interval[0] < 1.1
    assert interval[1] == 4.0
    # A gap in the middle has nothing to do with either end.
    apart = np.array([1.0, 1.1, 1.2, 4.0, 4.1])
    assert median_interval(apart) == mean_interval(apart)


@pytest.mark.parametrize("blocks", [5, 6, 9, 12])
def test_the_p_value_over_a_wide_gap_is_the_interval_turned_round(blocks: int) -> None:
    values = np.array([-4.0, *np.linspace(0.1, 0.5, blocks - 1)])
    (p_value,) = median_p_values(values[:, None])
    for level in (0.9, 0.95, 0.99):
        interval = median_interval(values, level)
        assert interval is not None
        if abs(1 - level - p_value) > 1e-6:
            assert (interval[0] > 0) == (p_value < 1 - level)


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


def test_a_ratio_is_that_of_a_typical_block() -> None:
    assert paired_ratio([2.0, 9.0, 4.0], [1.0, 1.0, 1.0]).estimate == pytest.approx(4)
    assert paired_ratio([2.0, 8.0], [1.0, 1.0]).estimate == pytest.approx(4), "of two, the geometric mean"


def test_a_difference_is_that_of_a_typical_block() -> None:
    assert paired_difference([3.0, 9.0, 5.0], [1.0, 1.0, 1.0]).estimate == pytest.approx(4)


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


def test_projected_blocks_of_three_follow_student() -> None:
    """By hand: t = 4.303, 3.182 and 2.776 for three, four and five blocks, so that the interval of three reaches 2.484
    spreads. Four reach 1.591 + 1.282 / 2 = 2.232, five 1.242 + 1.282 / √5 = 1.815."""
    three = Estimate(estimate=10.0, interval=(10 - 2.484, 10 + 2.484), blocks=3)
    assert blocks_to_decide(three, [-0.1, 10 - 2.24]) == 4
    assert blocks_to_decide(three, [-0.1, 10 - 2.22]) == 5
    assert blocks_to_decide(three, [-0.1, 10 + 1.82]) == 5
    assert blocks_to_decide(three, [-0.1, 10 + 1.81]) == 6


def test_projected_blocks_are_on_the_logarithm_where_there_is_one() -> None:
    above = Estimate(estimate=2.0, interval=(1.0, 4.0), blocks=5)
    below = Estimate(estimate=0.5, interval=(0.25, 1.0), blocks=5)
    assert blocks_to_decide(above, [1.2]) == blocks_to_decide(below, [1 / 1.2])


@pytest.mark.parametrize("name", ["normal", "one slow start in ten", "Student t, 3 degrees"])
def test_a_projection_is_right_in_four_of_five_runs(name: str) -> None:
    """Between 75 and 86% in docs/statistics.md; 300 runs of a share of 75% fall below 67% once in a thousand times."""
    runs = 300
    decided_by_as_many = sum(error_rates.decided_as_projected(name, 5, runs))
    assert 0.67 * runs <= decided_by_as_many <= 0.93 * runs


def test_an_estimate_on_the_bound_is_never_decided() -> None:
    assert blocks_to_decide(over_blocks([2.0, 2.0, 2.1, 1.9048]), [2.0]) is None
    assert blocks_to_decide(over_blocks([2.0]), [1.0]) is None
