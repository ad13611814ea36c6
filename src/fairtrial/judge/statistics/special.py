"""The incomplete beta and gamma functions, of which the tails of Student's t, F, chi-square and Poisson are made.

Each is a probability of a count times a continued fraction. The probability comes from Loader's expansion about the
mean, which loses no digits where Γ is large; the fraction is evaluated from its end. Both tails are computed by
themselves: neither is 1 minus a number that is nearly 1. `tests/judge/statistics/test_special.py` holds them against
`scipy.special`, which has them too, in a hundred times the space.

Sources: C. Loader, "Fast and accurate computation of binomial probabilities" (2000), for the probabilities; NIST
Digital Library of Mathematical Functions, 8.17.22 for the fraction of beta, 8.9.2 (its even part) and 8.7.1 for gamma.
"""

import math
from collections.abc import Callable
from functools import lru_cache

STIRLING_FROM = 16.0
"""From here on five terms of Stirling's series have an error below 1e-16."""
STIRLING = (1 / 12, 1 / 360, 1 / 1260, 1 / 1680, 1 / 1188)
NEAR = 0.1
"""Relative to their sum: values that are as near to each other as this have a deviance by its series."""
LEAST_TERMS = 60
TAILS_KEPT = 256
"""Both tails are asked for one after the other; of a million rows a pair takes milliseconds."""


def beta_tails(share: float, rest: float, first: float, second: float) -> tuple[float, float]:
    """The probabilities that a beta variable with these parameters is at most `share`, and that it is more.

    Args:
        rest: 1 minus the share, which the caller may know with more digits.
    """
    if share <= 0:
        return 0.0, 1.0
    if rest <= 0:
        return 1.0, 0.0
    if share > (first + 1) / (first + second + 2):
        above, up_to = beta_tails(rest, share, second, first)
        return up_to, above
    total = first + second
    probability = second / total * _binomial_probability(first, second, share, rest)
    fraction = 1.0
    for m in range(_terms(max(first, second)), 0, -1):
        even = m * (second - m) * share / ((first + 2 * m - 1) * (first + 2 * m))
        odd = -(first + m - 1) * (total + m - 1) * share / ((first + 2 * m - 2) * (first + 2 * m - 1))
        fraction = 1 + odd / (1 + even / fraction)
    up_to = min(probability / fraction, 1.0)
    return up_to, 1 - up_to


@lru_cache(maxsize=TAILS_KEPT)
def gamma_tails(value: float, shape: float) -> tuple[float, float]:
    """The probabilities that a gamma variable with this shape and scale 1 is at most `value`, and that it is more."""
    if value <= 0:
        return 0.0, 1.0
    if math.isinf(value):
        return 1.0, 0.0
    probability = _poisson_probability(shape, value)
    if value < shape + 1:
        term = total = 1.0
        place = shape
        while term > total * 1e-17:
            place += 1
            term *= value / place
            total += term
        up_to = min(probability * total, 1.0)
        return up_to, 1 - up_to
    fraction = value + 1 - shape + 2 * _terms(value)
    for k in range(_terms(value), 0, -1):
        fraction = value + 2 * k - 1 - shape + k * (shape - k) / fraction
    above = min(probability * shape / fraction, 1.0)
    return 1 - above, above


def crossing(rising: Callable[[float], float], level: float, high: float) -> float:
    """The value between 0 and `high` at which a function that rises crosses the level, by bisection."""
    low = 0.0
    while low < (middle := (low + high) / 2) < high:
        if rising(middle) < level:
            low = middle
        else:
            high = middle
    return middle


def _terms(largest: float) -> int:
    """How many terms of a fraction suffice for parameters up to `largest`: their number grows with its root."""
    return LEAST_TERMS + int(6 * math.sqrt(largest))


def _binomial_probability(having: float, lacking: float, share: float, rest: float) -> float:
    """The binomial probability of `having` successes and `lacking` failures; neither needs to be whole."""
    draws = having + lacking
    exponent = (
        _stirling_error(draws)
        - _stirling_error(having)
        - _stirling_error(lacking)
        - _deviance(having, draws * share)
        - _deviance(lacking, draws * rest)
    )
    return math.exp(exponent) * math.sqrt(draws / (2 * math.pi * having * lacking))


def _poisson_probability(count: float, mean: float) -> float:
    """The Poisson probability of a count above zero, which needs not be whole."""
    return math.exp(-_stirling_error(count) - _deviance(count, mean)) / math.sqrt(2 * math.pi * count)


def _stirling_error(value: float) -> float:
    """The logarithm of Γ(value + 1), less what Stirling's formula says."""
    if value < STIRLING_FROM:
        return math.lgamma(value + 1) - (value + 0.5) * math.log(value) + value - 0.5 * math.log(2 * math.pi)
    square, error = value * value, 0.0
    for coefficient in reversed(STIRLING):
        error = coefficient - error / square
    return error / value


def _deviance(value: float, mean: float) -> float:
    """value · ln(value / mean) + mean - value, without loss of digits where both are nearly equal."""
    if abs(value - mean) >= NEAR * (value + mean):
        return value * math.log(value / mean) + mean - value
    ratio = (value - mean) / (value + mean)
    total, term = (value - mean) * ratio, 2 * value * ratio
    for odd in range(3, 100, 2):
        term *= ratio * ratio
        before, total = total, total + term / odd
        if total == before:
            break
    return total
