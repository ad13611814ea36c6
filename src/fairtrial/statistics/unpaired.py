"""The ratio of a figure between two experiments, whose blocks have nothing to do with each other.

With x_1 … x_n and y_1 … y_k the logarithms on either side, m and s their means and standard deviations, the error of
the difference of the means is e = √(s_x²/n + s_y²/k) (Welch: neither the spreads nor the numbers need be equal). Each
side is resampled by itself, with a kernel of its own spread (bootstrap.py), and

    t* = ((m_x* - m_y*) - (m_x - m_y)) / e*

gives the interval of m_x - m_y as in mean_interval. What moves a whole experiment (another day, another neighbour on
the machine) does not cancel, and the interval knows nothing of it: it says what two sets of starts differ by, not why.

Sources: B. L. Welch, "The generalization of 'Student's' problem when several different population variances are
involved", Biometrika 34 (1947), 28-35; B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), section
16.2 (two samples) and chapter 12 (bootstrap-t).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairtrial.statistics.bootstrap import BANDWIDTH, LEVEL, MINIMUM_BLOCKS, NO_SPREAD, resamples_at
from fairtrial.statistics.estimate import Estimated


def unpaired_ratio(
    of: Sequence[float], to: Sequence[float], random: np.random.Generator, level: float = LEVEL
) -> Estimated:
    """The ratio of the geometric means of `of` and `to`, with its interval.

    Returns:
        No interval if either side has fewer than MINIMUM_BLOCKS values; `blocks` is the smaller number of values.

    Raises:
        ValueError: no values on a side, or one that is not positive and finite.
    """
    if not of or not to or any(not 0 < value < math.inf for value in (*of, *to)):
        raise ValueError("a ratio needs positive values on either side")
    left, right = np.log(np.asarray(of, dtype=np.float64)), np.log(np.asarray(to, dtype=np.float64))
    difference = float(left.mean() - right.mean())
    blocks = min(left.size, right.size)
    estimate = math.exp(difference)
    if blocks < MINIMUM_BLOCKS:
        return Estimated(estimate, None, blocks)
    error = math.sqrt(left.var(ddof=1) / left.size + right.var(ddof=1) / right.size)
    if error <= NO_SPREAD:
        return Estimated(estimate, (estimate, estimate), blocks)
    resamples = resamples_at(level)
    means_left, errors_left = _resampled(left, random, resamples)
    means_right, errors_right = _resampled(right, random, resamples)
    studentized = (means_left - means_right - difference) / np.sqrt(errors_left + errors_right)
    low, high = np.quantile(studentized, [(1 - level) / 2, (1 + level) / 2])
    return Estimated(
        estimate, (math.exp(difference - float(high) * error), math.exp(difference - float(low) * error)), blocks
    )


def _resampled(
    values: NDArray[np.float64], random: np.random.Generator, resamples: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and squared error of the mean of each resample."""
    drawn = values[random.integers(0, values.size, (resamples, values.size))]
    drawn += BANDWIDTH * float(values.std(ddof=1)) * random.standard_normal(drawn.shape)
    means: NDArray[np.float64] = drawn.mean(axis=1)
    errors: NDArray[np.float64] = drawn.var(axis=1, ddof=1) / values.size
    return means, errors
