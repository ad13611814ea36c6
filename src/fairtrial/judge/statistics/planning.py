"""How many blocks would decide a claim."""

import math
from collections.abc import Sequence

import numpy as np

from fairtrial.judge.statistics.student import LEVEL, quantile

MOST_BLOCKS = 200


def blocks_to_decide(ratios: Sequence[float], bounds: Sequence[float]) -> int | None:
    """The smallest number of blocks whose interval would hold none of `bounds`, if estimate and spread stay
    as they are.

    A projection by Student's t on the logarithms of the blocks' ratios, not a promise.

    Returns:
        None if more than MOST_BLOCKS would be needed, or with fewer than two ratios.
    """
    if len(ratios) < 2:
        return None
    logs = np.log(np.asarray(ratios, dtype=np.float64))
    distance = min(abs(float(logs.mean()) - math.log(bound)) for bound in bounds)
    return blocks_to_reach(distance, float(logs.std(ddof=1)), more_than=len(ratios))


def blocks_to_reach(distance: float, spread: float, more_than: int = 1) -> int | None:
    """The smallest number of blocks, above `more_than`, whose 95% interval reaches less than `distance` to either
    side, if single blocks have the standard deviation `spread`; both on the logarithm.

    By Student's t. ln(1.05) as the distance asks for an interval of about ±5%.

    Returns:
        None if more than MOST_BLOCKS would be needed.
    """
    for blocks in range(max(more_than, 1) + 1, MOST_BLOCKS + 1):
        if quantile(LEVEL, blocks) * spread / math.sqrt(blocks) < distance:
            return blocks
    return None
