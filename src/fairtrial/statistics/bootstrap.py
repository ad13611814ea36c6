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

import numpy as np
from numpy.typing import NDArray

MINIMUM_BLOCKS = 3
"""With two blocks the spread rests on one difference: no interval is given."""

RESAMPLES = 9_999
"""Enough for the 2.5% quantile's own noise to stay below the noise of the data by far."""

BANDWIDTH = 0.75
"""Of the kernel, in units of s. It does not shrink with n: at 20 heavy-tailed blocks the studentized bootstrap would
again cover too little (91% to 93%), and the mean of many blocks does not need the sample's finer shape."""

LEVEL = 0.95


def mean_interval(
    values: NDArray[np.float64],
    random: np.random.Generator,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> tuple[float, float] | None:
    """The interval for the mean that `values`, shape (blocks,), were drawn around, in their own unit.

    Returns:
        None with fewer than MINIMUM_BLOCKS values; the mean twice if the values do not differ at all.
    """
    blocks = values.size
    if blocks < MINIMUM_BLOCKS:
        return None
    mean = float(values.mean())
    spread = float(values.std(ddof=1))
    if spread <= 1e-12 * abs(mean):
        return mean, mean
    drawn = values[random.integers(0, blocks, (resamples, blocks))]
    drawn += BANDWIDTH * spread * random.standard_normal((resamples, blocks))
    root = np.sqrt(blocks)
    studentized = (drawn.mean(axis=1) - mean) / (drawn.std(axis=1, ddof=1) / root)
    low, high = np.quantile(studentized, [(1 - level) / 2, (1 + level) / 2])
    return mean - float(high) * spread / root, mean - float(low) * spread / root
