"""The median over blocks, which assumes nothing about the distribution of the values: its interval, and a p-value.

Between the d-th smallest and the d-th largest of n independent values lies the median of what they were drawn from with
probability 1 - 2 P(B < d), B binomial with n trials of 1/2: half of all values lie below it, whatever their
distribution. These probabilities jump; between the two depths next to the level one interpolates (Hettmansperger and
Sheather): with γ_d ≥ level > γ_(d+1), I = (γ_d - level) / (γ_d - γ_(d+1)) and λ = (n - d) I / (d + (n - 2d) I), the
lower end is (1 - λ) x_(d) + λ x_(d+1), the upper its mirror image.

Even the whole range of n values holds the median with a probability of only 1 - 2^(1-n), 93.75% for five. Where that
is less than the level, Student's interval of the mean (student.py) is given: of so few values it is wide enough to hold
the median of strongly skewed ones as often as it says. docs/statistics.md holds the simulation.

Both take it that values lie everywhere between the smallest and the largest. A gap that is half as wide again as all
others together says that there are two kinds of values, and none between them: nothing is interpolated over it, and
where a single value lies beyond it, Student's interval reaches to that value at least.

The p-value of a median of zero is the interval turned round: 1 minus the level at which its nearer end is zero. Below
2^(1-n), which all values on one side of zero reach, it is Student's; and it is Student's throughout where the interval
at 95% is.

Sources: T. P. Hettmansperger and S. J. Sheather, "Confidence intervals based on interpolated order statistics",
Statistics & Probability Letters 4 (1986), 75-79; H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition (2003),
section 7.1.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.distributions import heads_up_to
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS, mean_intervals, mean_p_values

WIDE_GAP = 0.6
"""A gap between two neighbours with this share of the range is half as wide again as all others together. Narrower ones
are common where there is one kind of values, and each costs power (Dixon's ratio, an end gap over the range, exceeds
0.64 in one normal sample of five in ten: D. B. Rorabacher, Analytical Chemistry 63 (1991), 139-146)."""


def median_interval(values: NDArray[np.float64], level: float = LEVEL) -> tuple[float, float] | None:
    """The interval for the median of what `values`, shape (blocks,), were drawn from, in their own unit.

    Returns:
        None with fewer than MINIMUM_BLOCKS values.

    Raises:
        ValueError: `level` is not between 0 and 1.
    """
    intervals = median_intervals(values[:, None], [level])
    return None if intervals is None else intervals[0][0]


def median_intervals(samples: NDArray[np.float64], levels: Sequence[float]) -> list[list[tuple[float, float]]] | None:
    """`median_interval` of each column of `samples`, shape (blocks, columns).

    Returns:
        For each column an interval at each level; None with fewer than MINIMUM_BLOCKS blocks.

    Raises:
        ValueError: a level is not between 0 and 1.
    """
    by_column = mean_intervals(samples, levels)
    if by_column is None:
        return None
    ordered = np.sort(samples, axis=0)
    has_outlier = _has_outlier(ordered)
    for place, level in enumerate(levels):
        if uses_order_statistics(samples.shape[0], level):
            for intervals, ends in zip(by_column, _between_depths(ordered, level), strict=True):
                intervals[place] = ends
            continue
        for column in np.flatnonzero(has_outlier):
            low, high = by_column[column][place]
            by_column[column][place] = min(low, float(ordered[0, column])), max(high, float(ordered[-1, column]))
    return by_column


def _wide_gaps(ordered: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each gap between neighbours is a WIDE_GAP, shape (blocks - 1, columns)."""
    wide: NDArray[np.bool_] = np.diff(ordered, axis=0) > WIDE_GAP * np.ptp(ordered, axis=0)
    return wide


def _has_outlier(ordered: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether the smallest or the largest of each column lies beyond a WIDE_GAP."""
    wide = _wide_gaps(ordered)
    outlier: NDArray[np.bool_] = np.logical_or(wide[0], wide[-1])
    return outlier


def _between_depths(ordered: NDArray[np.float64], level: float) -> list[tuple[float, float]]:
    blocks = ordered.shape[0]
    depth = max(depth for depth in range(1, blocks // 2 + 1) if _held_by(depth, blocks) >= level)
    wider, narrower = _held_by(depth, blocks), _held_by(depth + 1, blocks)
    share = (wider - level) / (wider - narrower)
    inward = (blocks - depth) * share / (depth + (blocks - 2 * depth) * share)
    wide = _wide_gaps(ordered)
    from_low, from_high = (np.where(wide[gap], 0.0, inward) for gap in (depth - 1, -depth))
    low = (1 - from_low) * ordered[depth - 1] + from_low * ordered[depth]
    high = (1 - from_high) * ordered[-depth] + from_high * ordered[-depth - 1]
    return list(zip(low.tolist(), high.tolist(), strict=True))


def median_p_values(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each column of `samples`, shape (blocks, columns): the two-sided p-value of a median of zero.

    1 with fewer than MINIMUM_BLOCKS values, or if all are zero; 0 if all are another one.
    """
    by_student = mean_p_values(samples)
    if samples.shape[0] < MINIMUM_BLOCKS:
        return by_student
    by_sign = _sign_p_values(samples)
    if not uses_order_statistics(samples.shape[0], LEVEL):
        ordered = np.sort(samples, axis=0)
        reaches_to_range = _has_outlier(ordered) & (ordered[0] <= 0) & (ordered[-1] >= 0)
        return np.where(reaches_to_range, np.maximum(by_sign, by_student), by_student)
    all_on_one_side = by_sign <= 1 - _held_by(1, samples.shape[0])
    p_values: NDArray[np.float64] = np.where(all_on_one_side, np.minimum(by_sign, by_student), by_sign)
    return p_values


def uses_order_statistics(blocks: int, level: float) -> bool:
    """Whether the interval of so many values is one of order statistics; if not, it is Student's."""
    return blocks >= 2 and _held_by(1, blocks) >= level


def _sign_p_values(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each column, 1 minus the level at which the interval of order statistics begins or ends at zero."""
    blocks = samples.shape[0]
    middles = np.median(samples, axis=0)
    ordered = np.sort(samples * np.where(middles < 0, -1.0, 1.0), axis=0)
    depths = (ordered <= 0).sum(axis=0)
    probability = np.array([1.0, *(_held_by(depth, blocks) for depth in range(1, blocks + 2))])
    wider, narrower = probability[depths], probability[np.minimum(depths + 1, blocks)]
    columns = np.arange(samples.shape[1])
    below, above = ordered[depths - 1, columns], ordered[np.minimum(depths, blocks - 1), columns]
    with np.errstate(divide="ignore", invalid="ignore"):
        # The lower end is at zero between this depth and the next, λ of the way; a wide gap has none between.
        inward = below / (below - above)
        share = inward * depths / ((blocks - depths) - inward * (blocks - 2 * depths))
    wide = _wide_gaps(ordered)[np.minimum(depths, blocks - 1) - 1, columns]
    p_values = 1 - wider + np.where(wide, 1.0, share) * (wider - narrower)
    p_values = np.where(depths == 0, 1 - probability[1], p_values)
    return np.where(middles == 0, 1.0, p_values)


@cache
def _held_by(depth: int, blocks: int) -> float:
    """How likely the median lies between the `depth`-th smallest and the `depth`-th largest of `blocks` values."""
    return max(0.0, 1 - 2 * heads_up_to(depth - 1, blocks))
