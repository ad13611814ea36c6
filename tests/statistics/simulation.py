"""What the simulations share: deviations to draw, and how far a count may lie above 5%."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Draw = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]


def slow_starts(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """One start in ten is slower by five standard deviations; the mean is zero."""
    return random.standard_normal(shape) - 5 * (random.random(shape) < 0.1) + 0.5


def pareto_tailed(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Slowdowns by a Pareto tail of index 2.5 (finite variance, no third moment); the mean is zero."""
    return 2.5 / 1.5 - (1 + random.pareto(2.5, shape))


def leaning_seconds(random: np.random.Generator, shape: tuple[int, ...], seconds: int = 60) -> NDArray[np.float64]:
    """A trial's figure as the mean of its window's seconds, each leaning on the last (AR(1), 0.9)."""
    noise = random.standard_normal((*shape, seconds))
    level = noise[..., 0] / np.sqrt(1 - 0.9**2)
    total = level.copy()
    for second in range(1, seconds):
        level = 0.9 * level + noise[..., second]
        total += level
    return total / seconds


DEVIATIONS: dict[str, Draw] = {
    "normal": lambda random, shape: random.standard_normal(shape),
    "Student t, 3 degrees": lambda random, shape: random.standard_t(3, shape),
    "lognormal, sigma 1": lambda random, shape: np.exp(random.standard_normal(shape)) - np.exp(0.5),
    "Pareto tail, index 2.5": pareto_tailed,
    "one slow start in ten": slow_starts,
    "autocorrelated seconds": leaning_seconds,
}
"""Deviations of each contender's figure from the truth, on the logarithm."""


def at_most_five_percent(repetitions: int, share: float = 0.05) -> int:
    """The largest count that a true error rate of `share` exceeds once in a thousand simulations (binomial)."""
    return int(stats.binom.ppf(0.999, repetitions, share))
