"""Tails and quantiles of the distributions that the tests of this folder rest on."""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.special import beta_tails, crossing, gamma_tails

Floats = NDArray[np.float64]
NORMAL = NormalDist()
QUANTILES_KEPT = 4096
LARGEST_SHIFT = 10
"""Stirling's series is exact enough from here on: of the logarithm of Γ for arrays."""


@lru_cache(maxsize=QUANTILES_KEPT)
def student_quantile(probability: float, degrees: float) -> float:
    """The value that Student's t with so many degrees of freedom does not exceed with this probability."""
    if probability < 0.5:
        return -student_quantile(1 - probability, degrees)
    return _upper_quantile(lambda value: _student_above(value, degrees), 1 - probability)


def student_above(values: Floats, degrees: float) -> Floats:
    """The probability that Student's t exceeds each of `values`."""
    return np.array([_student_above(value, degrees) for value in values.tolist()], dtype=np.float64)


def _student_above(value: float, degrees: float) -> float:
    if value < 0:
        return 1 - _student_above(-value, degrees)
    square = value * value
    if math.isnan(value) or math.isinf(square):
        return value if math.isnan(value) else 0.0
    return beta_tails(degrees / (degrees + square), square / (degrees + square), degrees / 2, 0.5)[0] / 2


def normal_above(value: float) -> float:
    """The probability that a standard normal variable exceeds `value`."""
    return math.erfc(value / math.sqrt(2)) / 2


def normal_quantile(probability: float) -> float:
    """The value that a standard normal variable does not exceed with this probability."""
    return NORMAL.inv_cdf(probability)


@lru_cache(maxsize=QUANTILES_KEPT)
def beta_quantile(probability: float, first: float, second: float) -> float:
    """The share that a beta variable with these parameters does not exceed with this probability."""
    return crossing(lambda share: beta_tails(share, 1 - share, first, second)[0], probability, 1.0)


def f_above(value: float, degrees: float, degrees_below: float) -> float:
    """The probability that F exceeds `value`: `degrees` of freedom in its numerator, `degrees_below` in the other."""
    value = max(value, 0.0)
    if math.isinf(value):
        return 0.0
    whole = degrees_below + degrees * value
    return beta_tails(degrees_below / whole, degrees * value / whole, degrees_below / 2, degrees / 2)[0]


@lru_cache(maxsize=QUANTILES_KEPT)
def f_quantile(probability: float, degrees: float, degrees_below: float) -> float:
    """The value that F with these degrees of freedom, in its numerator and below, does not exceed so probably."""
    return _upper_quantile(lambda value: f_above(value, degrees, degrees_below), 1 - probability)


def chi_square_above(value: float, degrees: float) -> float:
    """The probability that chi-square with so many degrees of freedom exceeds `value`."""
    return gamma_tails(max(value, 0.0) / 2, degrees / 2)[1]


def chi_square_up_to(value: float, degrees: float) -> float:
    """The probability that chi-square with so many degrees of freedom does not exceed `value`."""
    return gamma_tails(max(value, 0.0) / 2, degrees / 2)[0]


def poisson_above(count: int, mean: float) -> float:
    """The probability of more than `count` events where `mean` are expected."""
    return 1.0 if count < 0 else gamma_tails(mean, count + 1)[0]


def poisson_up_to(count: int, mean: float) -> float:
    """The probability of at most `count` events where `mean` are expected."""
    return 0.0 if count < 0 else gamma_tails(mean, count + 1)[1]


def _upper_quantile(above: Callable[[float], float], probability: float) -> float:
    """The value of 0 or more that is exceeded with this probability."""
    if above(0.0) <= probability:
        return 0.0
    high = 1.0
    while above(high) > probability:
        high *= 2
    return crossing(lambda value: -above(value), -probability, high)


def heads_up_to(count: int, tosses: int) -> float:
    """The probability of at most `count` heads among `tosses` of a fair coin."""
    outcomes: int = 2**tosses
    return sum(math.comb(tosses, heads) for heads in range(count + 1)) / outcomes


def binomial_probabilities(draws: int, share: float) -> Floats:
    """The probabilities of 0, 1, ... `draws` successes, each of which has the probability `share`."""
    having = np.arange(draws + 1)
    if share in (0, 1):
        return np.asarray(having == draws * share, dtype=np.float64)
    logs = _ways(draws) + having * math.log(share) + (draws - having) * math.log1p(-share)
    return np.asarray(np.exp(logs), dtype=np.float64)


def beta_binomial_probabilities(draws: int, first: float, second: float) -> Floats:
    """The same where that probability is itself a beta variable with these parameters."""
    having = np.arange(draws + 1, dtype=np.float64)
    logs = (
        _ways(draws)
        + _log_beta(having + first, draws - having + second)
        - _log_beta(np.array([first]), np.array([second]))
    )
    return np.asarray(np.exp(logs), dtype=np.float64)


def _ways(draws: int) -> Floats:
    """The logarithms of the numbers of ways to choose 0, 1, ... `draws` of them."""
    having = np.arange(draws + 1, dtype=np.float64)
    logs: Floats = -math.log(draws + 1) - _log_beta(having + 1, draws - having + 1)
    return logs


def _log_beta(first: Floats, second: Floats) -> Floats:
    return _log_gamma(first) + _log_gamma(second) - _log_gamma(first + second)


def _log_gamma(values: Floats) -> Floats:
    """The logarithm of Γ of each of these positive values, by Stirling's series for values that are larger by 10."""
    shifted = values + LARGEST_SHIFT
    product = np.prod([values + step for step in range(LARGEST_SHIFT)], axis=0)
    inverse = 1 / shifted
    series = inverse * (1 / 12 - inverse**2 * (1 / 360 - inverse**2 * (1 / 1260 - inverse**2 / 1680)))
    logs: Floats = (shifted - 0.5) * np.log(shifted) - shifted + 0.5 * math.log(2 * math.pi) + series - np.log(product)
    return logs


def average_ranks(values: NDArray[Any]) -> Floats:
    """The rank of each value, from 1 on; equal values share the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: Floats = counts.cumsum() - (counts - 1) / 2
    return means[places]
