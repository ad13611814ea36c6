"""The interval of a median over blocks, which assumes nothing about the distribution of the values.

Between the d-th smallest and the d-th largest of n independent values lies the median of what they were drawn from with
probability 1 - 2 P(B < d), B binomial with n trials of 1/2: half of all values lie below it, whatever their
distribution. These probabilities jump; between the two depths next to the level one interpolates (Hettmansperger and
Sheather): with γ_d ≥ level > γ_(d+1), I = (γ_d - level) / (γ_d - γ_(d+1)) and λ = (n - d) I / (d + (n - 2d) I), the
lower end is (1 - λ) x_(d) + λ x_(d+1), the upper its mirror image.

Even the whole range of n values holds the median with a probability of only 1 - 2^(1-n), 93.75% for five. Where that
is less than the level, Student's interval of the mean (student.py) is given: of so few values it is wide enough to hold
the median of strongly skewed ones as often as it says. docs/statistics.md holds the simulation.

Sources: T. P. Hettmansperger and S. J. Sheather, "Confidence intervals based on interpolated order statistics",
Statistics & Probability Letters 4 (1986), 75-79; H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition (2003),
section 7.1.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.distributions import heads_up_to
from fairtrial.judge.statistics.student import LEVEL, mean_interval


def median_interval(values: NDArray[np.float64], level: float = LEVEL) -> tuple[float, float] | None:
    """The interval for the median of what `values`, shape (blocks,), were drawn from, in their own unit.

    Returns:
        None with fewer than MINIMUM_BLOCKS values.

    Raises:
        ValueError: `level` is not between 0 and 1.
    """
    blocks = values.size
    if blocks < 2 or _held_by(1, blocks) < level:
        return mean_interval(values, level)
    depth = max(depth for depth in range(1, blocks // 2 + 1) if _held_by(depth, blocks) >= level)
    wider, narrower = _held_by(depth, blocks), _held_by(depth + 1, blocks)
    share = (wider - level) / (wider - narrower)
    inward = (blocks - depth) * share / (depth + (blocks - 2 * depth) * share)
    ordered = np.sort(values)
    low = (1 - inward) * ordered[depth - 1] + inward * ordered[depth]
    high = (1 - inward) * ordered[-depth] + inward * ordered[-depth - 1]
    return float(low), float(high)


@cache
def _held_by(depth: int, blocks: int) -> float:
    """How likely the median lies between the `depth`-th smallest and the `depth`-th largest of `blocks` values."""
    return max(0.0, 1 - 2 * heads_up_to(depth - 1, blocks))
