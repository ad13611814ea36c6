"""Trend and change point against known answers, and how often they cry wolf."""

from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from fairtrial.judge.statistics.trend import SHORTEST, _monotone_fit, change_point, trend

NILE = (
    "1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140 1100 1210 1150 1250 "
    "1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831 726 456 824 702 1120 1100 832 764 821 "
    "768 845 864 862 698 845 744 796 1040 759 781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801 1040 860 "
    "874 "
    "848 890 744 749 838 1050 918 986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740"
)
"""Annual flow at Aswan, 1871 to 1970: the textbook example of a step, after 1898 (G. W. Cobb, Biometrika 65 (1978))."""


def test_the_nile_changes_after_1898() -> None:
    """The maximum likelihood estimate is 1898 (Cobb, section 5), the 28th year."""
    result = change_point([float(value) for value in NILE.split()])
    assert result.index == 28
    assert result.p_value == 1 / 5000
    assert result.log_ratio < -0.2


@pytest.mark.parametrize("ties", [False, True])
def test_s_is_kendall_s(ties: bool) -> None:
    """Without autocorrelation the test is that of Kendall's tau against time."""
    random = np.random.default_rng(5)
    for _ in range(50):
        values = random.integers(0, 6, 25).astype(float) if ties else random.normal(100, 5, 25)
        kendall = stats.kendalltau(np.arange(25), values, method="asymptotic", variant="b")
        result = trend(list(values))
        assert np.sign(result.s) == np.sign(kendall.statistic)
        # Kendall's has no correction for continuity, and none for autocorrelation, which only ever raises p.
        assert result.p_value >= kendall.pvalue - 1e-9


def test_s_and_slope_of_a_straight_line() -> None:
    result = trend([10.0 + 2 * second for second in range(11)])
    assert result.s == 55  # all pairs
    assert result.slope == pytest.approx(2)
    assert result.change == pytest.approx(20 / 20)
    z = (55 - 1) / np.sqrt(11 * 10 * 27 / 18)
    assert result.p_value == pytest.approx(2 * stats.norm.sf(z))


def test_a_curve_that_only_falls_is_a_trend_not_autocorrelation() -> None:
    assert trend([548, 394, 301, 271, 260, 248, 255, 214, 226, 194, 187]).p_value < 0.001


def test_a_constant_has_neither() -> None:
    assert trend([5.0] * 12).p_value == 1
    assert change_point([5.0] * 12).p_value == 1
    assert trend([0.0] * 12).change == 0


def test_too_short_a_series_is_refused() -> None:
    for test in (trend, change_point):
        with pytest.raises(ValueError, match="at least 10"):
            test([1.0] * (SHORTEST - 1))


def noise(random: np.random.Generator, n: int, autocorrelation: float) -> NDArray[np.float64]:
    values = random.normal(size=n)
    for place in range(1, n):
        values[place] = autocorrelation * values[place - 1] + np.sqrt(1 - autocorrelation**2) * values[place]
    return np.asarray(100 + 5 * values)


@pytest.mark.parametrize(
    ("n", "autocorrelation", "most"), [(10, 0.0, 0.07), (30, 0.0, 0.07), (30, 0.5, 0.18), (60, 0.5, 0.16)]
)
def test_how_often_a_trend_is_seen_where_none_is(n: int, autocorrelation: float, most: float) -> None:
    """At a nominal 5%, in 600 series (standard error 0.9%). Among neighbours that resemble each other the correction
    takes half of the excess: uncorrected, one series in four would show a trend."""
    random = np.random.default_rng(11)
    false = sum(trend(list(noise(random, n, autocorrelation))).p_value < 0.05 for _ in range(600))
    assert false / 600 <= most


def test_how_often_a_step_is_seen_where_none_is() -> None:
    random = np.random.default_rng(12)
    false = sum(change_point(list(noise(random, 30, 0.0))).p_value < 0.05 for _ in range(600))
    assert false / 600 <= 0.07


@pytest.mark.parametrize(("autocorrelation", "most"), [(0.5, 0.22), (0.7, 0.30)])
def test_waves_are_rarely_taken_for_steps_in_a_minute(autocorrelation: float, most: float) -> None:
    """At a nominal 5%, in 120 series of 60 seconds: by random orders alone it would be 52% and 72%."""
    random = np.random.default_rng(14)
    false = sum(change_point(list(noise(random, 60, autocorrelation))).p_value < 0.05 for _ in range(120))
    assert false / 120 <= most


def test_a_short_series_does_not_show_that_it_is_autocorrelated() -> None:
    """Of 20 seconds, waves are taken for steps far more often than at the nominal 5%, and the documentation says so."""
    random = np.random.default_rng(15)
    false = sum(change_point(list(noise(random, 20, 0.7))).p_value < 0.05 for _ in range(120))
    assert 0.15 < false / 120 < 0.5


def test_a_step_in_a_wavy_series_is_still_seen() -> None:
    random = np.random.default_rng(16)
    seen = 0
    for _ in range(40):
        step = noise(random, 60, 0.5)
        step[:15] -= 20
        seen += change_point(list(step)).p_value <= 0.001
    assert seen >= 34


def test_a_trend_and_a_step_that_are_there_are_seen() -> None:
    random = np.random.default_rng(13)
    line = noise(random, 30, 0.0) + np.arange(30)
    assert trend(list(line)).p_value < 1e-3
    assert trend(list(line)).change == pytest.approx(29 / 114, rel=0.3)
    step = noise(random, 30, 0.0)
    step[:8] -= 40
    result = change_point(list(step))
    assert result.index == 8 and result.p_value < 0.001
    assert result.log_ratio == pytest.approx(np.log(100 / 60), abs=0.1)


@pytest.mark.parametrize(
    ("low", "high", "size"), [(50.0, 100.0, np.log(2)), (95.0, 100.0, np.log(100 / 95)), (0.0, 100.0, np.inf)]
)
def test_a_step_down_is_as_large_as_the_same_step_up(low: float, high: float, size: float) -> None:
    up, down = [low] * 6 + [high] * 9, [high] * 6 + [low] * 9
    assert change_point(up).log_ratio == pytest.approx(size)
    assert change_point(down).log_ratio == pytest.approx(-size)
    assert change_point(up).p_value == pytest.approx(change_point(down).p_value)


@pytest.mark.parametrize("alpha", [0.0002, 0.001, 0.05, 1.0])
def test_a_rare_step_is_one_whose_p_value_is_below_alpha(alpha: float) -> None:
    random = np.random.default_rng(17)
    for height in np.linspace(0, 12, 13):
        step = noise(random, 20, 0.0)
        step[:8] += height
        assert change_point(list(step)).is_rare(alpha) == (change_point(list(step)).p_value < alpha)


def test_a_value_below_zero_has_no_ratio() -> None:
    with pytest.raises(ValueError, match="below 0"):
        change_point([-1.0] * 6 + [2.0] * 6)


@pytest.mark.parametrize(("n", "slow"), [(10, 1), (10, 2), (20, 1), (20, 2)])
def test_a_short_warm_up_is_seen_in_no_single_window(n: int, slow: int) -> None:
    """Its p-value is that of the orders that put the slow seconds at either end."""
    values = [1.0 + 0.001 * place for place in range(slow)] + [100.0 + 0.01 * (place % 7) for place in range(n - slow)]
    assert change_point(values).p_value == pytest.approx(2 / comb(n, slow), rel=0.35)


@pytest.mark.parametrize("increasing", [True, False])
def test_the_nearest_monotone_series(increasing: bool) -> None:
    random = np.random.default_rng(3)
    for length in (1, 2, 30):
        for values in (random.normal(0, 1, length), random.integers(0, 4, length).astype(float)):
            expected = optimize.isotonic_regression(values, increasing=increasing).x
            assert _monotone_fit(values, increasing=increasing) == pytest.approx(expected)
