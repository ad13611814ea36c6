"""The interval of a ratio of two means whose values come in pairs: a share of a difference, block by block.

With a_i and b_i of the same n blocks, their means a and b, and v_aa, v_bb, v_ab the variances and the covariance of
these means, a share θ is in the interval if a - θ b, whose mean is zero at the true share, is no further from zero than
t of its standard errors:

    (a - θ b)² ≤ t² (v_aa - 2 θ v_ab + θ² v_bb).

It is exact where the pairs are jointly normal. The set is an interval only if b itself is further from zero than t of
its standard errors; otherwise nothing is known of the share.

Source: E. C. Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society B 16 (1954),
175-185.
"""

import math

import numpy as np
from numpy.typing import NDArray


def fieller_interval(
    parts: NDArray[np.float64], wholes: NDArray[np.float64], reach: float
) -> tuple[float, float] | None:
    """The interval of mean(`parts`) / mean(`wholes`), each of shape (blocks,).

    Args:
        reach: t, how many standard errors an interval reaches.

    Returns:
        None if the mean of `wholes` is not told from zero.
    """
    part, whole = float(parts.mean()), float(wholes.mean())
    covariance = np.cov(parts, wholes, ddof=1) / len(parts)
    square = reach * reach
    leading = whole * whole - square * float(covariance[1, 1])
    if leading <= 0:
        return None
    middle = part * whole - square * float(covariance[0, 1])
    last = part * part - square * float(covariance[0, 0])
    root = math.sqrt(max(middle * middle - leading * last, 0.0))
    return (middle - root) / leading, (middle + root) / leading
