"""The ratio of a figure between two experiments, whose blocks are not paired.

With m_x, m_y the medians of the logarithms on either side and [l_x, u_x], [l_y, u_y] their intervals (median.py), the
interval of m_x - m_y is

    [ d - √((m_x - l_x)² + (u_y - m_y)²) ,  d + √((u_x - m_x)² + (m_y - l_y)²) ],  d = m_x - m_y.

It takes each side's uncertainty from that side's own interval, in the direction in which it matters. So the two sides
may differ in spread, number of blocks and shape: a skew on one side stays in the result. What shifts a whole experiment
(another day, another tenant on the machine) does not cancel, and the interval does not include it: it says by how much
two sets of starts differ, not why.

Source: G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general approach",
Statistics in Medicine 27 (2008), 1693-1702 (MOVER, the method of variance estimates recovery).
"""

import math
from collections.abc import Sequence

from fairtrial.judge.statistics.estimate import Estimate, over_blocks
from fairtrial.judge.statistics.student import LEVEL


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
    below_first, above_first = _reaches(first.estimate, first.interval)
    below_second, above_second = _reaches(second.estimate, second.interval)
    low = estimate / math.exp(math.hypot(below_first, above_second))
    high = estimate * math.exp(math.hypot(above_first, below_second))
    return Estimate(estimate=estimate, interval=(low, high), blocks=blocks)


def _reaches(estimate: float, interval: tuple[float, float]) -> tuple[float, float]:
    """How far the interval reaches below and above the estimate, on the logarithm."""
    return math.log(estimate / interval[0]), math.log(interval[1] / estimate)
