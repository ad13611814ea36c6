"""How many blocks would decide a claim, in about four of five runs.

A run of N blocks decides a claim if its interval leaves the bound out. Its half-width shrinks with N as that of normal
values does; its estimate scatters around today's. So with the half-width w_n of the interval that there is, h(N) that
of N normal values with a spread of one, and e(N) the standard error of their estimate, N is the smallest number for
which

    (h(N) + z · e(N)) · w_n / h(n)  <  the distance of the estimate from the nearest bound.

Taking today's half-width, and not the standard deviation, keeps one slow start in ten from counting for more than it
does in a median. For order statistics h(N) is the interval of the normal scores Φ⁻¹((i - 3/8) / (N + 1/4)), and
e(N) = √(π / 2N); for Student's interval h(N) = t / √N and e(N) = 1 / √N.

z = 1.2816, the 90% quantile of the normal distribution: 90% if today's estimate were the truth. As it is not, about
four of five runs are decided (docs/statistics.md).

Where equality may decide as well, N is the smallest number for which both together do so in 90%: the estimate then lies
far enough above the bound, or far enough inside of both margins.

Source: G. Blom, Statistical Estimates and Transformed Beta-Variables (1958), for the scores.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from fairtrial.judge.statistics.distributions import normal_quantile
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.median import median_interval, uses_order_statistics
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS, quantile
from fairtrial.judge.statistics.window_share import WindowShare

MOST_BLOCKS = 200
POWER = 0.9
POWER_QUANTILE = 1.2816
"""The quantile of the normal distribution at POWER."""


@dataclass(frozen=True)
class Margins:
    """Those of equality, which decides as well: the interval at the level `then` lies between them."""

    low: float
    high: float
    then: float


def blocks_to_decide(
    estimate: Estimate,
    bounds: Sequence[float],
    *,
    level: float = LEVEL,
    then: float = LEVEL,
    margins: Margins | None = None,
) -> int | None:
    """The smallest number of blocks, more than there are, that would decide a claim in about four of five runs, if
    estimate and spread stayed as they are.

    Where interval and bounds are positive it is computed on the logarithm, as `over_blocks` does.

    Args:
        level: of the interval that there is.
        then: of the interval that is to decide.
        margins: for a ratio that equality may decide.

    Returns:
        None if more than MOST_BLOCKS would be needed, or if there is no interval to project from.
    """
    if estimate.interval is None:
        return None
    distance, spread = _distance_and_spread(estimate, bounds, level)
    for blocks in range(estimate.blocks + 1, MOST_BLOCKS + 1):
        beyond = spread * _half_width(blocks, then)
        ranges = [(beyond, math.inf)]
        if margins is not None:
            low, high = _inside(estimate, bounds, margins)
            reach = spread * _half_width(blocks, margins.then)
            ranges.append((low + reach, min(high - reach, beyond)))
        if _chance(distance, spread * _standard_error(blocks, then), ranges) > POWER:
            return blocks
    return None


def narrowings(blocks: int, level: float) -> list[tuple[int, float]]:
    """Numbers of blocks, each a quarter above the one before, and for each how near to a bound an estimate may lie for
    so many to decide it in about four of five runs, as a multiple of the half-width that `blocks` gave."""
    rows, number = [], blocks
    while (number := math.ceil(1.25 * number)) <= MOST_BLOCKS:
        reach = _half_width(number, level) + POWER_QUANTILE * _standard_error(number, level)
        rows.append((number, reach / _half_width(blocks, level)))
    return rows


def blocks_to_narrow(half_width: float, goal: float, blocks: int, *, level: float, then: float) -> int | None:
    """The smallest number of blocks after which Student's interval would be `goal` wide on either side, if the spread
    stayed as it is.

    Args:
        half_width: of the interval that `blocks` gave.
        level: of that interval.
        then: of the one that is to be as narrow.

    Returns:
        None if more than MOST_BLOCKS would be needed.
    """
    spread = half_width / (quantile(level, blocks) / math.sqrt(blocks))
    numbers = range(MINIMUM_BLOCKS, MOST_BLOCKS + 1)
    return next((each for each in numbers if spread * quantile(then, each) / math.sqrt(each) <= goal), None)


def _inside(estimate: Estimate, bounds: Sequence[float], margins: Margins) -> tuple[float, float]:
    """The margins as logarithms above the nearest bound, on the side of the estimate."""
    nearest = min(bounds, key=lambda bound: abs(math.log(bound / estimate.estimate)))
    low, high = (math.log(margin / nearest) for margin in (margins.low, margins.high))
    return (low, high) if estimate.estimate >= nearest else (-high, -low)


def _chance(middle: float, error: float, ranges: Sequence[tuple[float, float]]) -> float:
    """How likely a normal value lies in one of the ranges, which do not overlap."""
    if error == 0:
        return float(any(low < middle < high for low, high in ranges))
    value = NormalDist(middle, error)
    return sum(max(0.0, value.cdf(high) - value.cdf(low)) for low, high in ranges)


def window_to_decide(
    estimate: Estimate, bounds: Sequence[float], share: WindowShare, *, level: float = LEVEL, then: float = LEVEL
) -> float | None:
    """How many times as long windows would have to be for as many blocks as there are to decide a claim, as above.

    Args:
        share: of the scatter, what is within windows.

    Returns:
        None if no window is long enough, or if there is no interval to project from.
    """
    if estimate.interval is None:
        return None
    distance, spread = _distance_and_spread(estimate, bounds, level)
    spread *= max(1.0, math.sqrt(share.window_over_total))
    within = (share.low + share.estimate) / 2
    reach = _half_width(estimate.blocks, then) + POWER_QUANTILE * _standard_error(estimate.blocks, then)
    allowed = (distance / (spread * reach)) ** 2 - (1 - within) if spread > 0 else 1.0
    return within / allowed if allowed > 0 else None


def _distance_and_spread(estimate: Estimate, bounds: Sequence[float], level: float) -> tuple[float, float]:
    """From the estimate to the nearest bound, and the spread of the values, on the logarithm where all are positive."""
    assert estimate.interval is not None
    figures, limits = [*estimate.interval, estimate.estimate], list(bounds)
    if all(value > 0 for value in (*figures, *limits)):
        figures, limits = [math.log(value) for value in figures], [math.log(limit) for limit in limits]
    low, high, middle = figures
    return min(abs(limit - middle) for limit in limits), (high - low) / 2 / _half_width(estimate.blocks, level)


@cache
def _half_width(blocks: int, level: float) -> float:
    """Half the width of the interval of so many normal values, whose standard deviation is one."""
    if not uses_order_statistics(blocks, level):
        return quantile(level, blocks) / math.sqrt(blocks)
    scores = np.array([normal_quantile((place - 0.375) / (blocks + 0.25)) for place in range(1, blocks + 1)])
    interval = median_interval(scores, level)
    assert interval is not None
    return interval[1]


def _standard_error(blocks: int, level: float) -> float:
    """The standard error of the estimate in the middle of that interval."""
    return math.sqrt((math.pi / 2 if uses_order_statistics(blocks, level) else 1) / blocks)
