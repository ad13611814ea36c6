"""The ratio of a figure between two experiments, whose blocks are not paired.

With m_x, m_y the medians of the logarithms on either side and [l_x, u_x], [l_y, u_y] their intervals (median.py), the
interval of m_x - m_y is

    [ d - √((m_x - l_x)² + (u_y - m_y)²) ,  d + √((u_x - m_x)² + (m_y - l_y)²) ],  d = m_x - m_y.

It takes each side's uncertainty from that side's own interval, in the direction in which it matters. So the two sides
may differ in spread, number of blocks and shape: a skew on one side stays in the result. What shifts a whole experiment
(another day, another tenant on the machine) does not cancel, and this interval does not include it; that of
`between_runs` does.

Where both sides have too few values for order statistics, two of Student's intervals would be put together, each with
few degrees of freedom. There it is Welch's: with s² the variance and n the number of values of each side, and v = s²/n,
the means of the logarithms differ by d ± t · √(v_x + v_y), t with Satterthwaite's degrees of freedom,
(v_x + v_y)² / (v_x² / (n_x - 1) + v_y² / (n_y - 1)).

Sources: G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general approach",
Statistics in Medicine 27 (2008), 1693-1702 (MOVER, the method of variance estimates recovery); B. L. Welch, "The
generalization of 'Student's' problem when several different population variances are involved", Biometrika 34 (1947),
28-35.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.distributions import normal_quantile, student_quantile
from fairtrial.judge.statistics.estimate import Estimate, over_blocks
from fairtrial.judge.statistics.median import uses_order_statistics
from fairtrial.judge.statistics.student import LEVEL, NO_SPREAD


def unpaired_ratio(of: Sequence[float], to: Sequence[float], level: float = LEVEL) -> Estimate:
    """The ratio of the medians of `of` and `to`, with its interval.

    Returns:
        No interval if either side has fewer than MINIMUM_BLOCKS values; `blocks` is the smaller number of values.

    Raises:
        ValueError: no values on a side, or one that is not positive and finite.
    """
    if not of or not to or any(not 0 < value < math.inf for value in (*of, *to)):
        raise ValueError("a ratio needs positive values on either side")
    first, second = over_blocks(of, level), over_blocks(to, level)
    estimate, blocks = first.estimate / second.estimate, min(first.blocks, second.blocks)
    if first.interval is None or second.interval is None:
        return Estimate(estimate=estimate, interval=None, blocks=blocks)
    if not (uses_order_statistics(first.blocks, level) or uses_order_statistics(second.blocks, level)):
        low, high = _welch(np.log(of), np.log(to), level)
        return Estimate(estimate=estimate, interval=(math.exp(low), math.exp(high)), blocks=blocks)
    below_first, above_first = _reaches(first.estimate, first.interval)
    below_second, above_second = _reaches(second.estimate, second.interval)
    low = estimate / math.exp(math.hypot(below_first, above_second))
    high = estimate * math.exp(math.hypot(above_first, below_second))
    return Estimate(estimate=estimate, interval=(low, high), blocks=blocks)


def between_runs(ratio: Estimate, spread: float, level: float = LEVEL) -> Estimate:
    """The ratio of two single runs with the interval that the scatter of whole runs leaves it.

    Two runs tell nothing of it, so that it has to be known: with z the quantile of the normal distribution, either end
    lies √(r² + 2 z² spread²) from the ratio on the logarithm, where the blocks alone put it at r (as above, MOVER).

    Args:
        spread: the standard deviation of the logarithm by which a whole run is moved.
    """
    if ratio.interval is None:
        return ratio
    reach = normal_quantile((1 + level) / 2) * spread * math.sqrt(2)
    below, above = (math.exp(math.hypot(each, reach)) for each in _reaches(ratio.estimate, ratio.interval))
    return ratio.model_copy(update={"interval": (ratio.estimate / below, ratio.estimate * above)})


def _welch(of: NDArray[np.float64], to: NDArray[np.float64], level: float) -> tuple[float, float]:
    """The interval for the difference of the means of both."""
    difference = float(of.mean() - to.mean())
    errors = [float(side.var(ddof=1)) / side.size for side in (of, to)]
    if sum(errors) <= (NO_SPREAD * max(1.0, abs(difference))) ** 2:
        return difference, difference
    degrees = sum(errors) ** 2 / sum(error**2 / (side.size - 1) for error, side in zip(errors, (of, to), strict=True))
    reach = student_quantile((1 + level) / 2, degrees) * math.sqrt(sum(errors))
    return difference - reach, difference + reach


def _reaches(estimate: float, interval: tuple[float, float]) -> tuple[float, float]:
    """How far the interval reaches below and above the estimate, on the logarithm."""
    return math.log(estimate / interval[0]), math.log(interval[1] / estimate)
