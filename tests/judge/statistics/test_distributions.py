"""Tails and quantiles against those of `scipy.stats`."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from fairtrial.judge.statistics.distributions import (
    average_ranks,
    beta_binomial_probabilities,
    binomial_probabilities,
    chi_square_above,
    chi_square_up_to,
    f_above,
    heads_up_to,
    normal_above,
    poisson_above,
    poisson_up_to,
    student_above,
    student_quantile,
)


def exactly(expected: Any) -> Any:
    """The same but for rounding."""
    return pytest.approx(expected, rel=1e-13, abs=0)


@pytest.mark.parametrize("degrees", [1, 2, 4, 29])
def test_student(degrees: int) -> None:
    for probability in (0.5, 0.9, 0.975, 0.9999):
        assert student_quantile(probability, degrees) == exactly(stats.t.ppf(probability, degrees))
    values = np.array([-3.0, 0.0, 0.5, 12.0, np.inf])
    assert student_above(values, degrees) == exactly(stats.t.sf(values, degrees))


@pytest.mark.parametrize("value", [-2.0, 0.0, 0.7, 4.0, 60.0])
def test_continuous_tails(value: float) -> None:
    assert normal_above(value) == exactly(stats.norm.sf(value))
    assert f_above(value, 3, 12) == exactly(stats.f.sf(value, 3, 12))
    assert chi_square_above(value, 5) == exactly(stats.chi2.sf(value, 5))
    assert chi_square_up_to(value, 5) == exactly(stats.chi2.cdf(value, 5))


@pytest.mark.parametrize("count", [-1, 0, 3, 50])
def test_counts(count: int) -> None:
    assert poisson_above(count, 4.5) == exactly(stats.poisson.sf(count, 4.5))
    assert poisson_up_to(count, 4.5) == exactly(stats.poisson.cdf(count, 4.5))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
def test_successes(share: float) -> None:
    assert binomial_probabilities(40, share) == pytest.approx(stats.binom.pmf(np.arange(41), 40, share))


def test_successes_of_an_uncertain_share() -> None:
    expected = stats.betabinom.pmf(np.arange(41), 40, 4.5, 1.5)
    assert beta_binomial_probabilities(40, 4.5, 1.5) == pytest.approx(expected)


@pytest.mark.parametrize("tosses", [1, 5, 8, 31, 200])
def test_a_fair_coin(tosses: int) -> None:
    for count in {0, 1, tosses // 2, tosses}:
        assert heads_up_to(count, tosses) == pytest.approx(stats.binom.cdf(count, tosses, 0.5), rel=1e-13)


@pytest.mark.parametrize("values", [[3.0, 1.0, 2.0], [2.0, 2.0, 1.0, 5.0, 5.0, 5.0], [7.0] * 4])
def test_ranks(values: list[float]) -> None:
    assert average_ranks(np.array(values)).tolist() == stats.rankdata(values).tolist()
