"""Whether a series is stationary: tests for a trend and a change point that assume no distribution of its values.

Values are equally spaced, and at least `SHORTEST`: with fewer, neither test has useful power (with five values, even a
perfect order has p = 0.017).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.distributions import average_ranks, normal_above

SHORTEST = 10
"""From this length on, the normal approximation of Mann-Kendall's S holds: R. O. Gilbert, Statistical Methods for
Environmental Pollution Monitoring (1987), section 16.4."""

MOST_VALUES = 600
"""The tests take time and memory by the square of the number of values: more of them are taken in parts."""

PERMUTATIONS = 4999
"""The smallest possible p-value is 1 / (PERMUTATIONS + 1)."""
FIRST_ORDERS = 250
"""So many random orders show of most series that their step is no rare one."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Trend:
    """Theil and Sen's slope, with Mann-Kendall's test, which takes its time only where it is asked for."""

    series: Floats
    slope: float
    """per step, in the values' unit: the median over all pairs"""

    @property
    def change(self) -> float:
        """The slope times the length of the series, as a share of its median; 0 if that is 0, or all are equal."""
        middle = float(np.median(self.series))
        return self.slope * (len(self.series) - 1) / middle if middle else 0.0

    @cached_property
    def s(self) -> float:
        """Pairs that rise minus pairs that fall."""
        signs = np.sign(self.series[None, :] - self.series[:, None])
        return float(np.triu(signs, 1).sum())

    @cached_property
    def p_value(self) -> float:
        """Two-sided, corrected for the autocorrelation that the series shows."""
        n = len(self.series)
        _, ties = np.unique(self.series, return_counts=True)
        variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
        if variance <= 0:
            return 1.0
        variance *= _correction(self.series - _monotone_fit(self.series, increasing=self.s > 0))
        z = (self.s - np.sign(self.s)) / np.sqrt(variance)
        return 2 * normal_above(abs(z))


@dataclass(frozen=True)
class ChangePoint:
    """The likeliest step, with its test by permutations, which takes its time only where it is asked for."""

    series: Floats
    index: int
    """values before the change"""
    statistic: float
    """the standardised difference at this step, the largest of all"""
    log_ratio: float
    """the logarithm of the median after over the median before: a step from 50 to 100 and one from 100 to 50 are of the
    same size. Infinite if one of the two is 0, and 0 if both are"""
    fewest: int = 1
    """values on either side of a step"""

    @cached_property
    def p_value(self) -> float:
        """The larger of those of both tests; 1 if all values are equal."""
        if self.statistic == 0:
            return 1.0
        p_value = (1 + self._as_large(PERMUTATIONS)) / (1 + PERMUTATIONS)
        before, after = self.series[: self.index], self.series[self.index :]
        waves = waves_of(np.concatenate([before - before.mean(), after - after.mean()]), fitted=3)
        if waves is None:
            return p_value
        return max(p_value, (1 + _as_large(waves, self.statistic, self.fewest)) / (1 + PERMUTATIONS))

    def is_rare(self, alpha: float) -> bool:
        """Whether the p-value is below `alpha`. Where it is far above, the first of the orders say so."""
        return (1 + self._as_large(FIRST_ORDERS)) / (1 + PERMUTATIONS) < alpha and self.p_value < alpha

    def _as_large(self, orders: int) -> int:
        centred = self.series - self.series.mean()
        return _as_large(centred[orders_of(centred.size)[:orders]], self.statistic, self.fewest)


def in_parts(values: Sequence[float]) -> tuple[Sequence[float], int]:
    """At most MOST_VALUES values, each the mean over so many of these; a rest that fills no part is left out."""
    size = -(-len(values) // MOST_VALUES)
    if size <= 1:
        return values, 1
    ends = range(size, len(values) + 1, size)
    return [fmean(values[end - size : end]) for end in ends], size


def trend(values: Sequence[float]) -> Trend:
    """The monotone trend of a series of at least `SHORTEST` values.

    S and its variance under ties: M. G. Kendall, Rank Correlation Methods (1975); H. B. Mann, Econometrica 13 (1945),
    245-259. Values a second apart resemble their neighbours, which makes S vary more: its variance is multiplied by
    1 + 2 sum (1 - k/n) r^k (S. Yue and C. Wang, Water Resources Management 18 (2004), 201-218), with r the lag-1
    autocorrelation of the ranks of what is left without the trend, less the bias of having taken it out: (n r + 2) /
    (n - 4) (K. H. Hamed, Journal of Hydrology 368 (2009), 143-155); 0 if it is negative. What is taken out is the best
    monotone fit: a straight line would leave the bend of a curve, and call a plain trend autocorrelation. Slope: P. K.
    Sen, JASA 63 (1968), 1379-1389.

    Raises:
        ValueError: fewer than `SHORTEST` values.
    """
    series = _series(values)
    return Trend(series, _median_slope(series))


def change_point(values: Sequence[float], fewest: int = 1) -> ChangePoint:
    """The likeliest single step of a series of at least `SHORTEST` values, with `fewest` or more on either side.

    The statistic is the largest of the standardised differences between the means before and after each split, as for
    normal values (K. J. Worsley, JASA 74 (1979), 365-367); its p-value is the share of `PERMUTATIONS` random orders of
    the values that show as large a one, so nothing is assumed of their distribution but that they are exchangeable
    (J. Antoch and M. Huskova, Statistics & Probability Letters 53 (2001), 37-46). The same values always give the same
    p-value.

    Values a second apart resemble their neighbours, and then are not exchangeable: slow waves look like steps. So the
    p-value is the larger of that one and of a second, for which the orders are of innovations: of what is left without
    the likeliest step, an autoregression of order 1 is fitted, its innovations are shuffled, and series without a step
    are made of them anew (a sieve bootstrap: P. Buhlmann, Bernoulli 3 (1997), 123-148). Its coefficient is corrected
    for the bias of having taken the step out as in `trend`, and is 0 if negative: then there is no second p-value. A
    short series does not show how autocorrelated it is, so that steps are still seen too often in it.

    However large a step is, s values at one end of n have a p-value of about 2 / C(n, s) at the least, the share of
    orders that put them at either end: two of 20 have 0.01. A warm-up that takes as little of the window cannot be seen
    in one window alone.

    Raises:
        ValueError: fewer than `SHORTEST` values, or one below 0.
    """
    series = _series(values)
    splits = _splits((series - series.mean())[None, :], fewest)[0]
    index = int(np.argmax(splits)) + fewest
    before, after = float(np.median(series[:index])), float(np.median(series[index:]))
    return ChangePoint(series, index, float(splits.max()), _log_ratio(after, before), fewest)


def _as_large(rows: Floats, statistic: float, fewest: int) -> int:
    """How many series without a step, each with mean 0, show as large a statistic."""
    return int((_splits(rows, fewest).max(axis=1) >= statistic * (1 - 1e-12)).sum())


def waves_of(left: Floats, fitted: int) -> Floats | None:
    """Series without a step, as autocorrelated as what is left of one without its steps; each has mean 0.

    None if that is not autocorrelated.

    Args:
        fitted: how many levels and places of steps were taken out, which leaves less than there was.
    """
    n = left.size
    r = _autocorrelation(left)
    if r == 0:
        return None
    # The first value is as far from the mean as any other; its innovation is scaled as theirs are.
    innovations = np.concatenate([left[:1] * math.sqrt(1 - r * r), left[1:] - r * left[:-1]])
    innovations = (innovations - innovations.mean()) * math.sqrt(n / (n - fitted))
    waves = innovations[orders_of(n)]
    waves[:, 0] /= math.sqrt(1 - r * r)
    for place in range(1, n):
        waves[:, place] += r * waves[:, place - 1]
    centred: Floats = waves - waves.mean(axis=1, keepdims=True)
    return centred


def _log_ratio(after: float, before: float) -> float:
    if min(after, before) < 0:
        raise ValueError("a value below 0 has no ratio to others")
    if after > 0 and before > 0:
        return math.log(after / before)
    return 0.0 if after == before else math.copysign(math.inf, after - before)


@lru_cache(maxsize=2)  # windows of one experiment are equally long
def orders_of(values: int) -> NDArray[np.intp]:
    """Random orders of so many values, the same each time: shape (PERMUTATIONS, values)."""
    orders = np.tile(np.arange(values, dtype=np.intp), (PERMUTATIONS, 1))
    return np.random.default_rng(0).permuted(orders, axis=1)


def _autocorrelation(residuals: Floats) -> float:
    """At lag 1, of a series whose trend or step left these, less the bias of having taken it out (Hamed 2009)."""
    n, power = len(residuals), float(residuals @ residuals)
    if power == 0:
        return 0.0  # a perfect order leaves nothing that could be correlated
    lag_one = float(residuals[:-1] @ residuals[1:]) / power
    return min(max((n * lag_one + 2) / (n - 4), 0.0), 0.99)


def _splits(centred: Floats, fewest: int) -> Floats:
    """For rows of values with mean 0, after `fewest` to n - `fewest` of them: |sum so far| over its deviation, but for
    a factor."""
    n = centred.shape[1]
    sizes = np.arange(fewest, n - fewest + 1)
    split: Floats = np.abs(centred.cumsum(axis=1)[:, fewest - 1 : n - fewest]) / np.sqrt(sizes * (n - sizes))
    return split


def _median_slope(series: Floats) -> float:
    """Theil and Sen's: the median over all pairs."""
    places = np.arange(len(series), dtype=np.float64)
    steps, rises = places[:, None] - places, series[:, None] - series
    return float(np.median(rises[steps > 0] / steps[steps > 0]))


def _monotone_fit(series: Floats, *, increasing: bool) -> Floats:
    """The nearest series that never falls, or never rises, by least squares: neighbours that do are pooled.

    Source: M. Ayer and others, "An empirical distribution function for sampling with incomplete information", Annals of
    Mathematical Statistics 26 (1955), 641-647.
    """
    means: list[float] = []
    sizes: list[int] = []
    for value in (series if increasing else -series).tolist():
        mean, size = value, 1
        while means and means[-1] >= mean:
            mean = (mean * size + means[-1] * sizes[-1]) / (size + sizes[-1])
            size += sizes.pop()
            means.pop()
        means.append(mean)
        sizes.append(size)
    fit: Floats = np.repeat(np.array(means), sizes)
    return fit if increasing else -fit


def _series(values: Sequence[float]) -> Floats:
    if len(values) < SHORTEST:
        raise ValueError(f"{len(values)} values; at least {SHORTEST} are needed")
    return np.asarray(values, dtype=np.float64)


def _correction(residuals: Floats) -> float:
    """How much more S varies than among independent values: at least 1."""
    n = len(residuals)
    correlation = _autocorrelation(average_ranks(np.round(residuals, 9)) - (n + 1) / 2)
    lags = np.arange(1, n)
    return float(1 + 2 * ((1 - lags / n) * correlation**lags).sum())
