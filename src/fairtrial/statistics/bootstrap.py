"""The interval of a mean over few blocks: a smoothed, studentized bootstrap.

Let x_1 … x_n be one value a block, m their mean and s their standard deviation. A resample draws n of them with
replacement and adds to each a normal deviate of standard deviation h = BANDWIDTH · s. With m* and s* its mean and
standard deviation, t* = (m* - m) / (s* / √n), and the interval is

    [ m - t*_(1-α/2) · s/√n ,  m - t*_(α/2) · s/√n ].

Without the smoothing, five blocks have only 126 different resamples and three have ten: s* is often zero or nearly so,
and the quantiles of t* mean nothing. With h far above s, t* becomes Student's t; with h below s it keeps part of the
sample's skewness. Intervals that never leave the range of the data (percentile, BCa, expanded percentile) cannot cover
more than 1 - 2^(1-n) for a symmetric quantity: 75% at three blocks, 93.75% at five. docs/statistics.md holds the
simulation that this choice rests on.

Sources: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 12 (bootstrap-t) and section 16.5
(smoothing); B. W. Silverman and G. A. Young, "The bootstrap: to smooth or not to smooth?", Biometrika 74
(1987), 469-479; T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69
(2015), 371-386.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MINIMUM_BLOCKS = 3
"""With two blocks the spread rests on one difference: no interval is given."""

RESAMPLES = 9_999
"""Enough for the 2.5% quantile's own noise to stay below the noise of the data by far."""

RESAMPLES_BEYOND = 100
"""How many resamples lie beyond either end of an interval at least: a quantile with k beyond it is off by a share of
1/√k of its tail, 10% here. Levels above 98% get more than RESAMPLES for it."""

BEYOND_OF_MANY = 25
MOST_OF_MANY = 99_999
"""The same where many columns are judged at a level close to 1: 20% of a tail of one in a thousand are worth the time.
With more than 100 columns fewer still are beyond; with 500, five."""

BANDWIDTH = 0.75
"""Of the kernel, in units of s. It does not shrink with n: at 20 heavy-tailed blocks the studentized bootstrap would
again cover too little (91% to 93%), and the mean of many blocks does not need the sample's finer shape."""

LEVEL = 0.95

NO_SPREAD = 1e-12
"""Values that differ by no more than this share of their mean are equal but for rounding."""


def resamples_at(level: float) -> int:
    """How many resamples an interval of this level, or a test of size 1 - level, takes.

    Raises:
        ValueError: `level` is not between 0 and 1.
    """
    return max(RESAMPLES, _for_tails(level, RESAMPLES_BEYOND))


def resamples_of_many(level: float) -> int:
    """The same for each of many columns, whose levels are close to 1 because they are many.

    Raises:
        ValueError: `level` is not between 0 and 1.
    """
    return min(MOST_OF_MANY, max(RESAMPLES, _for_tails(level, BEYOND_OF_MANY)))


def _for_tails(level: float, beyond: int) -> int:
    if not 0 < level < 1:
        raise ValueError("a level lies between 0 and 1")
    return math.ceil(2 * beyond / (1 - level)) - 1


def mean_interval(
    values: NDArray[np.float64],
    random: np.random.Generator,
    level: float = LEVEL,
    resamples: int | None = None,
) -> tuple[float, float] | None:
    """The interval for the mean that `values`, shape (blocks,), were drawn around, in their own unit.

    Returns:
        None with fewer than MINIMUM_BLOCKS values; the mean twice if the values do not differ at all.

    Raises:
        ValueError: `level` is not between 0 and 1.
    """
    intervals = mean_intervals(values, random, [level], resamples)
    return None if intervals is None else intervals[0]


def mean_intervals(
    values: NDArray[np.float64],
    random: np.random.Generator,
    levels: Sequence[float],
    resamples: int | None = None,
) -> list[tuple[float, float]] | None:
    """`mean_interval` at several levels from the same resamples, so that a higher level's holds a lower one's."""
    drawn_resamples = resamples or max(resamples_at(level) for level in levels)
    blocks = values.size
    if blocks < MINIMUM_BLOCKS:
        return None
    mean = float(values.mean())
    spread = float(values.std(ddof=1))
    if spread <= NO_SPREAD * abs(mean):
        return [(mean, mean)] * len(levels)
    drawn = values[random.integers(0, blocks, (drawn_resamples, blocks))]
    drawn += BANDWIDTH * spread * random.standard_normal((drawn_resamples, blocks))
    root = np.sqrt(blocks)
    studentized = (drawn.mean(axis=1) - mean) / (drawn.std(axis=1, ddof=1) / root)
    intervals = []
    for level in levels:
        low, high = np.quantile(studentized, [(1 - level) / 2, (1 + level) / 2])
        intervals.append((mean - float(high) * spread / root, mean - float(low) * spread / root))
    return intervals


def p_values(
    samples: NDArray[np.float64], random: np.random.Generator, resamples: int = RESAMPLES
) -> NDArray[np.float64]:
    """For each column of `samples`, shape (blocks, columns): the two-sided p-value of a mean of zero.

    It is the interval of `mean_interval` turned round: 1 minus the level at which its nearer end would be zero, so
    p = 2 · min(P(t* ≥ t), P(t* ≤ t)) with t = m / (s / √n), each probability estimated as (count + 1) / (resamples + 1)
    (A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application (1997), section 4.2). All columns share
    the resampled places and kernel deviates, which changes none of the p-values' own distributions.

    Returns:
        Shape (columns,); 1 everywhere with fewer than MINIMUM_BLOCKS blocks. A column whose values do not differ at all
        has p 0, or 1 if it is zero.
    """
    blocks, columns = samples.shape
    if blocks < MINIMUM_BLOCKS:
        return np.ones(columns)
    draws = _Draws(blocks, resamples, random)
    found = np.empty(columns)
    for column, values in enumerate(samples.T):
        mean, spread = float(values.mean()), float(values.std(ddof=1))
        if spread <= NO_SPREAD * abs(mean):
            found[column] = float(mean == 0)
            continue
        studentized = draws.studentized((values - mean) / spread)
        observed = mean / spread * math.sqrt(blocks)
        tail = min((studentized >= observed).sum(), (studentized <= observed).sum())
        found[column] = min(1.0, 2 * (int(tail) + 1) / (resamples + 1))
    return found


def column_intervals(
    samples: NDArray[np.float64], random: np.random.Generator, levels: Sequence[float]
) -> list[list[tuple[float, float]]] | None:
    """`mean_intervals` of each column of `samples`, shape (blocks, columns): all from the same resampled places.

    Returns:
        For each column an interval at each level; None with fewer than MINIMUM_BLOCKS blocks.

    Raises:
        ValueError: a level is not between 0 and 1.
    """
    resamples = max(resamples_of_many(level) for level in levels)
    blocks = samples.shape[0]
    if blocks < MINIMUM_BLOCKS:
        return None
    draws = _Draws(blocks, resamples, random)
    found = []
    for values in samples.T:
        mean, spread = float(values.mean()), float(values.std(ddof=1))
        if spread <= NO_SPREAD * abs(mean):
            found.append([(mean, mean)] * len(levels))
            continue
        studentized = draws.studentized((values - mean) / spread)
        error = spread / math.sqrt(blocks)
        highs = np.quantile(studentized, [(1 + level) / 2 for level in levels])
        lows = np.quantile(studentized, [(1 - level) / 2 for level in levels])
        found.append(
            [(mean - float(high) * error, mean - float(low) * error) for high, low in zip(highs, lows, strict=True)]
        )
    return found


class _Draws:
    """Resampled places and kernel deviates, drawn once for many columns of as many blocks.

    Sums over a resample are then products with how often, and with which deviates, it drew each block.
    """

    def __init__(self, blocks: int, resamples: int, random: np.random.Generator) -> None:
        places = random.integers(0, blocks, (resamples, blocks))
        kernel = random.standard_normal((resamples, blocks))
        flat = (places + blocks * np.arange(resamples)[:, None]).ravel()
        shape, cells = (resamples, blocks), resamples * blocks
        self._blocks = blocks
        self._times = np.bincount(flat, minlength=cells).reshape(shape).astype(np.float64)
        self._deviates = np.bincount(flat, kernel.ravel(), minlength=cells).reshape(shape)
        self._deviates_sum = kernel.sum(axis=1)
        self._deviates_squares = (kernel**2).sum(axis=1)

    def studentized(self, scaled: NDArray[np.float64]) -> NDArray[np.float64]:
        """t* of each resample of `scaled`, shape (blocks,), whose mean is 0 and standard deviation 1."""
        sums = self._times @ scaled + BANDWIDTH * self._deviates_sum
        squares = (
            self._times @ scaled**2 + 2 * BANDWIDTH * (self._deviates @ scaled) + BANDWIDTH**2 * self._deviates_squares
        )
        blocks = self._blocks
        studentized: NDArray[np.float64] = sums / np.sqrt(blocks * (squares - sums**2 / blocks) / (blocks - 1))
        return studentized
