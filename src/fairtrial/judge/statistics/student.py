"""Student's t over blocks: the interval of a mean, and the p-value of a mean of zero.

Let x_1 … x_n be one value a block, m their mean and s their standard deviation. With t the quantile of Student's
distribution with n - 1 degrees of freedom, the interval at level 1 - α is

    [ m - t_(1-α/2) · s/√n ,  m + t_(1-α/2) · s/√n ].

It is exact for normal values. Where the tails are heavier and symmetric it is wider than needed; the logarithm of the
ratio of two stacks in the same block is such a value if both scatter alike. Intervals that never leave the range of the
data (percentile, BCa, expanded percentile bootstraps) cannot cover more than 1 - 2^(1-n) for a symmetric quantity: 75%
at three blocks. docs/statistics.md holds the simulation that this choice rests on.

Source: "Student" (W. S. Gosset), "The probable error of a mean", Biometrika 6 (1908), 1-25.
"""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.distributions import student_above, student_quantile

MINIMUM_BLOCKS = 3
"""With two blocks, the spread would rest on a single difference: no interval is given."""

LEVEL = 0.95

NO_SPREAD = 1e-12
"""Values that differ by no more than this share of their mean are equal but for rounding."""


@cache
def quantile(level: float, blocks: int) -> float:
    """Student's t for a two-sided interval of this level over so many blocks: how many standard errors it reaches."""
    return student_quantile((1 + level) / 2, blocks - 1)


def mean_interval(values: NDArray[np.float64], level: float = LEVEL) -> tuple[float, float] | None:
    """The interval for the mean that `values`, shape (blocks,), were drawn around, in their own unit.

    Returns:
        None with fewer than MINIMUM_BLOCKS values; the mean twice if the values do not differ at all.

    Raises:
        ValueError: `level` is not between 0 and 1.
    """
    intervals = mean_intervals(values[:, None], [level])
    return None if intervals is None else intervals[0][0]


def mean_intervals(samples: NDArray[np.float64], levels: Sequence[float]) -> list[list[tuple[float, float]]] | None:
    """`mean_interval` of each column of `samples`, shape (blocks, columns).

    Returns:
        For each column an interval at each level; None with fewer than MINIMUM_BLOCKS blocks.

    Raises:
        ValueError: a level is not between 0 and 1.
    """
    if any(not 0 < level < 1 for level in levels):
        raise ValueError("a level lies between 0 and 1")
    blocks = samples.shape[0]
    if blocks < MINIMUM_BLOCKS:
        return None
    means, errors = _means_and_errors(samples)
    quantiles = [quantile(level, blocks) for level in levels]
    return [
        [(mean - reach * error, mean + reach * error) for reach in quantiles]
        for mean, error in zip(means.tolist(), errors.tolist(), strict=True)
    ]


def mean_p_values(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each column of `samples`, shape (blocks, columns): the two-sided p-value of a mean of zero.

    The inverse of `mean_interval`: 1 minus the level at which the interval's nearer end would be zero.

    Returns:
        Shape (columns,); 1 everywhere with fewer than MINIMUM_BLOCKS blocks. A column whose values do not differ at all
        has p 0, or 1 if it is zero.
    """
    blocks, columns = samples.shape
    if blocks < MINIMUM_BLOCKS:
        return np.ones(columns)
    means, errors = _means_and_errors(samples)
    with np.errstate(divide="ignore", invalid="ignore"):
        two_sided: NDArray[np.float64] = 2 * student_above(np.abs(means) / errors, blocks - 1)
    return np.where(errors > 0, two_sided, (means == 0).astype(np.float64))


def _means_and_errors(samples: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean of each column and its standard error, which is zero where the values differ by rounding only."""
    means, spreads = samples.mean(axis=0), samples.std(axis=0, ddof=1)
    spreads = np.where(spreads <= NO_SPREAD * np.abs(means), 0.0, spreads)
    return means, spreads / math.sqrt(samples.shape[0])
