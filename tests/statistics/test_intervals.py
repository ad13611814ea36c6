import math

import numpy as np
import pytest
from scipy import stats

from fairtrial.statistics.bootstrap import mean_interval
from fairtrial.statistics.estimate import over_blocks, paired_ratio
from fairtrial.statistics.planning import blocks_to_decide
from fairtrial.statistics.seeding import generator
from fairtrial.statistics.support import supports_percentile


def test_the_same_seed_and_purpose_give_the_same_numbers() -> None:
    assert generator(1, "a", "b").random() == generator(1, "a", "b").random()
    assert generator(1, "a", "b").random() != generator(1, "ab").random()
    assert generator(1, "a").random() != generator(2, "a").random()


def test_many_normal_blocks_agree_with_student() -> None:
    values = np.random.default_rng(3).normal(10, 1, 40)
    low, high = mean_interval(values, generator(1)) or (0, 0)
    expected = stats.t.interval(0.95, 39, values.mean(), stats.sem(values))
    assert (low, high) == pytest.approx(expected, abs=0.05)


def test_fewer_than_three_blocks_have_no_interval() -> None:
    assert mean_interval(np.array([1.0, 2.0]), generator(1)) is None
    assert mean_interval(np.array([1.0, 2.0, 3.0]), generator(1)) is not None


def test_equal_blocks_have_an_interval_of_no_width() -> None:
    assert mean_interval(np.array([4.0, 4.0, 4.0]), generator(1)) == (4.0, 4.0)


def test_skewed_blocks_have_a_skewed_interval() -> None:
    low, high = mean_interval(np.array([1.0, 1.1, 1.2, 1.3, 4.0]), generator(1)) or (0, 0)
    mean = 1.72
    assert high - mean > mean - low


def test_the_interval_moves_and_scales_with_the_data() -> None:
    values = np.array([1.0, 2.0, 4.0, 5.0, 9.0])
    low, high = mean_interval(values, generator(1)) or (0, 0)
    moved = mean_interval(values * 10 + 3, generator(1))
    assert moved == pytest.approx((low * 10 + 3, high * 10 + 3))


def test_an_estimate_is_the_geometric_mean_and_its_interval_is_positive() -> None:
    estimated = over_blocks([100, 200, 400], generator(1))
    assert estimated.estimate == pytest.approx(200)
    assert estimated.interval is not None and estimated.interval[0] > 0
    assert estimated.interval[0] < 200 < estimated.interval[1]


def test_figures_of_zero_are_averaged_as_they_are() -> None:
    assert over_blocks([0, 1, 2], generator(1)).estimate == pytest.approx(1)
    with pytest.raises(ValueError, match="at least one"):
        over_blocks([], generator(1))


def test_what_slows_a_whole_block_cancels_in_the_ratio() -> None:
    drift = [1.0, 0.5, 0.7, 1.4, 0.9]
    ratio = paired_ratio([3000 * each for each in drift], [1000 * each for each in drift], generator(1))
    assert ratio.estimate == pytest.approx(3)
    assert ratio.interval == pytest.approx((3, 3))


def test_the_ratio_of_estimates_is_the_estimate_of_ratios() -> None:
    of, to = [90.0, 110.0, 130.0], [40.0, 35.0, 50.0]
    ratio = paired_ratio(of, to, generator(1)).estimate
    assert ratio == pytest.approx(over_blocks(of, generator(1)).estimate / over_blocks(to, generator(1)).estimate)


@pytest.mark.parametrize(("of", "to"), [([1.0], [1.0, 2.0]), ([0.0, 1.0], [1.0, 1.0]), ([1.0, 1.0], [1.0, -1.0])])
def test_without_pairs_of_positive_values_there_is_no_ratio(of: list[float], to: list[float]) -> None:
    with pytest.raises(ValueError, match="ratio"):
        paired_ratio(of, to, generator(1))


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
