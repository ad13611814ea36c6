"""How much of the scatter between blocks lies within windows, and what longer windows would do.

A block's value on the logarithm, that of one condition or the ratio of two, has the variance

    σ² = between + window,

where `window` is what a longer measurement would average away, and `between` what only further starts do. The variance
s² of n blocks' values estimates σ² with n - 1 degrees of freedom. The seconds of the windows estimate `window` by
themselves (variance.split), for a ratio as the sum of both conditions', with m degrees of freedom (Satterthwaite's).
With w the true share window / σ², s² / window · w is F-distributed with (n - 1, m) degrees, which bounds w from
either side. What moves a whole block cancels in a ratio and counts for neither.

Waves that are slower than a window look like differences between starts. So that windows would *not* help is only known
where they are long enough to show such waves, and do not: with ten seconds, and seconds that correlate with their
neighbours by less than a half. That they would help is known without: slow waves make their share look smaller than it
is.

Sources: S. R. Searle, G. Casella and C. E. McCulloch, Variance Components (1992), chapter 3; F. E. Satterthwaite,
"An approximate distribution of estimates of variance components", Biometrics Bulletin 2 (1946), 110-114; for the bias
of the correlation about a window's own mean, F. H. C. Marriott and J. A. Pope, "Bias in the estimation of
autocorrelations", Biometrika 41 (1954), 390-402. The levels and shares below are this project's choice.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrial.judge.statistics.distributions import f_quantile
from fairtrial.judge.statistics.variance import split

LEVEL_OF_ADVICE = 0.8
"""Each bound of the share has this level: advice is to be right in four of five cases."""
SMALL_SHARE = 0.25
"""Windows without an end would narrow an interval by at most an eighth."""
LARGE_SHARE = 0.5
LEAST_BLOCKS = 5
"""With fewer, a variance is known to a factor of ten."""
LEAST_SECONDS = 10
"""As a trend within a window needs."""
MOST_CORRELATION = 0.5

Series = Sequence[Sequence[float]]
"""The figure of one condition second by second, for each block."""


@dataclass(frozen=True)
class WindowShare:
    """The share of the variance of a block's value that lies within windows."""

    estimate: float
    low: float
    """below which it lies with a probability of 1 - LEVEL_OF_ADVICE, likewise `high`; each between 0 and 1"""
    high: float
    window_over_total: float
    """the window's variance over that of the values; above 1, these scatter less than their windows by chance"""
    shows_slow_waves: bool
    """whether windows are long enough to show waves that would pass for differences between starts, and show none"""

    @property
    def is_small(self) -> bool:
        """Whether longer windows would certainly help little."""
        return self.shows_slow_waves and self.high < SMALL_SHARE

    @property
    def is_large(self) -> bool:
        """Whether longer windows would certainly help."""
        return self.low > LARGE_SHARE


def window_share(values: Sequence[float], conditions: Sequence[Series]) -> WindowShare | None:
    """The share of the variance of `values`, one a block on the logarithm, that is within the windows of `conditions`.

    Args:
        conditions: those that the values are of, one or two, each with as many windows as there are values.

    Returns:
        None where it cannot be known: fewer than LEAST_BLOCKS blocks, windows of fewer than two seconds or with a
        second without an answer, or no scatter at all.
    """
    if len(values) < LEAST_BLOCKS or any(len(series) != len(values) for series in conditions):
        return None
    try:
        splits = [split(series) for series in conditions]
    except ValueError:
        return None
    total = float(np.var(np.asarray(values, dtype=np.float64), ddof=1))
    window = sum(each.window for each in splits)
    if total <= 0 or window <= 0:
        return None
    degrees = window**2 / sum(each.window**2 / each.parts.degrees for each in splits)
    ratio = total / window
    low = f_quantile(1 - LEVEL_OF_ADVICE, len(values) - 1, degrees) / ratio
    high = f_quantile(LEVEL_OF_ADVICE, len(values) - 1, degrees) / ratio
    shortest = min(len(seconds) for series in conditions for seconds in series)
    shows = shortest >= LEAST_SECONDS and all(_correlation(series) < MOST_CORRELATION for series in conditions)
    return WindowShare(min(1.0, 1 / ratio), min(1.0, low), min(1.0, high), 1 / ratio, shows)


def _correlation(series: Series) -> float:
    """The correlation of neighbouring seconds, about each window's own mean, corrected for that: (T r + 1) / (T -
    3)."""
    shortest = min(map(len, series))
    logs = np.log(np.array([seconds[:shortest] for seconds in series], dtype=np.float64))
    deviations = logs - logs.mean(axis=1, keepdims=True)
    square = float((deviations**2).sum())
    if square == 0:
        return 0.0
    neighbours = float((deviations[:, 1:] * deviations[:, :-1]).sum())
    return (shortest * neighbours / square + 1) / (shortest - 3)
