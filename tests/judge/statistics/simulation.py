"""What the simulations share: deviations to draw, and how far a count may lie above 5%."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

Draw = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]
Draw1 = Callable[[np.random.Generator, int], NDArray[np.float64]]


def slow_starts(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """One start in ten is slower by five standard deviations; the mean is zero."""
    return random.standard_normal(shape) - 5 * (random.random(shape) < 0.1) + 0.5


def pareto_tailed(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Slowdowns whose very logarithm has a Pareto tail of index 2.5 (a variance, no third moment); the mean is zero."""
    deviations: NDArray[np.float64] = 2.5 / 1.5 - (1 + random.pareto(2.5, shape))
    return deviations


def leaning_seconds(random: np.random.Generator, shape: tuple[int, ...], seconds: int = 60) -> NDArray[np.float64]:
    """A trial's figure as the mean of its window's seconds, each leaning on the last (AR(1), 0.9)."""
    noise = random.standard_normal((*shape, seconds))
    level = noise[..., 0] / np.sqrt(1 - 0.9**2)
    total = level.copy()
    for second in range(1, seconds):
        level = 0.9 * level + noise[..., second]
        total += level
    figures: NDArray[np.float64] = total / seconds
    return figures


DEVIATIONS: dict[str, Draw] = {
    "normal": lambda random, shape: random.standard_normal(shape),
    "Student t, 3 degrees": lambda random, shape: random.standard_t(3, shape),
    "lognormal, sigma 1": lambda random, shape: np.exp(random.standard_normal(shape)) - np.exp(0.5),
    "Pareto tail, index 2.5": pareto_tailed,
    "one slow start in ten": slow_starts,
    "autocorrelated seconds": leaning_seconds,
}
"""Deviations of each contender's figure from the truth, on the logarithm."""


def leaning_blocks(random: np.random.Generator, blocks: int, lean: float = 0.5) -> NDArray[np.float64]:
    """Each block leans on the one before it (AR(1)): temperature, a neighbour, a disk that fills."""
    values = np.empty(blocks)
    level = random.standard_normal() / np.sqrt(1 - lean**2)
    for block in range(blocks):
        values[block] = level
        level = lean * level + random.standard_normal()
    return values


def slow_mode(share: float, factor: float) -> Draw1:
    """The log ratio of a contender of which this share of starts is slower by `factor`, to one that has no such mode;
    either scatters by 3%, one deviation."""
    slower = math.log(factor) / 0.03

    def ratio(random: np.random.Generator, blocks: int) -> NDArray[np.float64]:
        noise = random.standard_normal((2, blocks))
        ratios: NDArray[np.float64] = noise[0] - noise[1] - slower * (random.random(blocks) < share)
        return ratios

    return ratio


def both_lean(random: np.random.Generator, blocks: int) -> NDArray[np.float64]:
    drift = leaning_blocks(random, blocks)
    of, to = drift + random.standard_normal(blocks), drift + random.standard_normal(blocks)
    return of - to


FIGURES: dict[str, Draw1] = {
    "normal (a lognormal figure)": lambda random, blocks: random.standard_normal(blocks),
    "Student t, 3 degrees": lambda random, blocks: random.standard_t(3, blocks),
    "Laplace": lambda random, blocks: random.laplace(size=blocks),
    "autocorrelated seconds": lambda random, blocks: leaning_seconds(random, (blocks,)),
    "gamma, shape 4 (skewed)": lambda random, blocks: random.gamma(4, size=blocks),
    "lognormal, sigma 1": lambda random, blocks: DEVIATIONS["lognormal, sigma 1"](random, (blocks,)),
    "exponential (a Pareto-tailed figure)": lambda random, blocks: -random.exponential(size=blocks),
    "Pareto tail, index 2.5": lambda random, blocks: pareto_tailed(random, (blocks,)),
    "one slow start in ten": lambda random, blocks: slow_starts(random, (blocks,)),
    "autocorrelated blocks": leaning_blocks,
}
"""Deviations of a figure's logarithm. A lognormal figure is the first line."""


def _half_of_slow_starts(at: float) -> float:
    """0.9 of the starts are normal around 0.5, the others five below."""
    return float(0.9 * stats.norm.cdf(at - 0.5) + 0.1 * stats.norm.cdf(at + 4.5) - 0.5)


MEDIANS: dict[str, float] = {
    "gamma, shape 4 (skewed)": float(stats.gamma.median(4)),
    "lognormal, sigma 1": 1 - math.exp(0.5),
    "exponential (a Pareto-tailed figure)": -math.log(2),
    "Pareto tail, index 2.5": 2.5 / 1.5 - 2 ** (1 / 2.5),
    "one slow start in ten": float(optimize.brentq(_half_of_slow_starts, -1, 1)),
}
"""Of the deviations above whose median is not zero."""


def both_sides(draw: Draw) -> Draw1:
    """The logarithm of a ratio in one block: the deviations of either side."""

    def ratio(random: np.random.Generator, blocks: int) -> NDArray[np.float64]:
        either = draw(random, (2, blocks))
        ratios: NDArray[np.float64] = either[0] - either[1]
        return ratios

    return ratio


RATIOS: dict[str, Draw1] = {
    **{name: both_sides(draw) for name, draw in DEVIATIONS.items()},
    "Laplace": both_sides(lambda random, shape: random.laplace(size=shape)),
    "lognormal, sigma 0.5, against normal": lambda random, blocks: (
        np.exp(0.5 * random.standard_normal(blocks)) - np.exp(0.125) - 0.5 * random.standard_normal(blocks)
    ),
    "one slow start in ten, against none": lambda random, blocks: (
        slow_starts(random, (blocks,)) - random.standard_normal(blocks)
    ),
    "one start in ten 3 times slower, against none": slow_mode(0.1, 3),
    "two starts in ten 1.3 times slower, against none": slow_mode(0.2, 1.3),
    "three starts in ten 1.5 times slower, against none": slow_mode(0.3, 1.5),
    "four starts in ten 1.5 times slower, against none": slow_mode(0.4, 1.5),
    "nine starts in twenty 1.5 times slower, against none": slow_mode(0.45, 1.5),
    "autocorrelated blocks": both_lean,
    "autocorrelated blocks of one side": lambda random, blocks: (
        leaning_blocks(random, blocks) - 0.1 * random.standard_normal(blocks)
    ),
}
"""Deviations of a paired log-ratio. What is skewed on both sides alike is symmetric in the difference, and what moves
a whole block cancels."""

UNSYMMETRIC = [name for name in RATIOS if ", against n" in name]


@cache
def median_ratio(name: str) -> float:
    """The deviation of a typical block: the median of RATIOS[name], zero where they are symmetric, else of a million
    draws, by which it is known to 0.002 deviations."""
    return float(np.median(RATIOS[name](np.random.default_rng(7), 1_000_000))) if name in UNSYMMETRIC else 0.0


def at_most_five_percent(repetitions: int, share: float = 0.05) -> int:
    """The largest count that a true error rate of `share` exceeds once in a thousand simulations (binomial)."""
    return int(stats.binom.ppf(0.999, repetitions, share))
