"""Tails and quantiles of the distributions that the tests of this folder rest on.

They are those of `scipy.stats`, from the functions below it: `import scipy.stats` takes a second of processor time,
which every run would pay. `scipy.special` takes a fifth of one, and is loaded with the first call.
"""

import math
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def student_quantile(probability: float, degrees: float) -> float:
    """The value that Student's t with so many degrees of freedom does not exceed with this probability."""
    return float(scipy.special.stdtrit(degrees, probability))


def student_above(values: Floats, degrees: float) -> Floats:
    """The probability that Student's t exceeds each of `values`."""
    return np.asarray(scipy.special.stdtr(degrees, -values), dtype=np.float64)


def normal_above(value: float) -> float:
    """The probability that a standard normal variable exceeds `value`."""
    return float(scipy.special.ndtr(-value))


def normal_quantile(probability: float) -> float:
    """The value that a standard normal variable does not exceed with this probability."""
    return float(scipy.special.ndtri(probability))


def beta_quantile(probability: float, first: float, second: float) -> float:
    """The value that a beta variable with these parameters does not exceed with this probability."""
    return float(scipy.special.betaincinv(first, second, probability))


def f_above(value: float, degrees: float, degrees_below: float) -> float:
    """The probability that F exceeds `value`: `degrees` of freedom in its numerator, `degrees_below` in the other."""
    return float(scipy.special.fdtrc(degrees, degrees_below, max(value, 0.0)))


def f_quantile(probability: float, degrees: float, degrees_below: float) -> float:
    """The value that F with these degrees of freedom, in its numerator and below, does not exceed so probably."""
    return float(scipy.special.fdtri(degrees, degrees_below, probability))


def chi_square_above(value: float, degrees: float) -> float:
    """The probability that chi-square with so many degrees of freedom exceeds `value`."""
    return float(scipy.special.chdtrc(degrees, max(value, 0.0)))


def chi_square_up_to(value: float, degrees: float) -> float:
    """The probability that chi-square with so many degrees of freedom does not exceed `value`."""
    return float(scipy.special.chdtr(degrees, max(value, 0.0)))


def poisson_above(count: int, mean: float) -> float:
    """The probability of more than `count` events where `mean` are expected."""
    return 1.0 if count < 0 else float(scipy.special.pdtrc(count, mean))


def poisson_up_to(count: int, mean: float) -> float:
    """The probability of at most `count` events where `mean` are expected."""
    return 0.0 if count < 0 else float(scipy.special.pdtr(count, mean))


def heads_up_to(count: int, tosses: int) -> float:
    """The probability of at most `count` heads among `tosses` of a fair coin."""
    outcomes: int = 2**tosses
    return sum(math.comb(tosses, heads) for heads in range(count + 1)) / outcomes


def binomial_probabilities(draws: int, share: float) -> Floats:
    """The probabilities of 0, 1, ... `draws` successes, each of which has the probability `share`."""
    having = np.arange(draws + 1)
    logs = _ways(draws) + scipy.special.xlogy(having, share) + scipy.special.xlog1py(draws - having, -share)
    return np.asarray(np.exp(logs), dtype=np.float64)


def beta_binomial_probabilities(draws: int, first: float, second: float) -> Floats:
    """The same where that probability is itself a beta variable with these parameters."""
    having = np.arange(draws + 1)
    logs = (
        _ways(draws)
        + scipy.special.betaln(having + first, draws - having + second)
        - scipy.special.betaln(first, second)
    )
    return np.asarray(np.exp(logs), dtype=np.float64)


def _ways(draws: int) -> Floats:
    """The logarithms of the numbers of ways to choose 0, 1, ... `draws` of them."""
    having = np.arange(draws + 1)
    logs = (
        scipy.special.gammaln(draws + 1) - scipy.special.gammaln(having + 1) - scipy.special.gammaln(draws - having + 1)
    )
    return np.asarray(logs, dtype=np.float64)


def average_ranks(values: NDArray[Any]) -> Floats:
    """The rank of each value, from 1 on; equal values share the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: Floats = counts.cumsum() - (counts - 1) / 2
    return means[places]
