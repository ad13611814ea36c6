"""The median over blocks where some of the values are lower bounds of the true ones.

A median, and an interval of order statistics, can only rise when values rise. So what is computed with bounds in the
place of true values is a lower bound of what the true values would give; and it is the same, however long the true
values are, if it stays where it is with every bound moved beyond all other values. Five values of which the largest is
a bound have an exact median, and an interval that is open above.

The lower end of an interval stands as it is. With the level's probability it lies below the median of what the bounded
values were drawn from, and that of the true ones is no lower. This holds of Student's interval, too, whose upper end
no bound leaves alone.
"""

from collections.abc import Sequence

from fairtrial.judge.statistics.estimate import Estimate, over_blocks
from fairtrial.judge.statistics.student import LEVEL


def over_blocks_bounded(values: Sequence[float], are_bounds: Sequence[bool], level: float = LEVEL) -> Estimate:
    """`over_blocks` of values of which those in `are_bounds` are lower bounds, and what of it may in truth be higher.

    Args:
        values: one a block, none negative.
        are_bounds: for each value whether it is a lower bound.

    Raises:
        ValueError: no values, other lengths, or a level that is not between 0 and 1.
    """
    estimate = over_blocks(values, level)
    pairs = list(zip(values, are_bounds, strict=True))
    if not any(are_bounds):
        return estimate
    beyond = 2 * max(values) + 1
    moved = over_blocks([beyond if is_bound else value for value, is_bound in pairs], level)
    open_above = (
        estimate.interval is not None and moved.interval is not None and moved.interval[1] != estimate.interval[1]
    )
    return estimate.model_copy(
        update={"is_lower_bound": moved.estimate != estimate.estimate, "open_above": open_above},
    )
