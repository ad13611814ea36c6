"""How many blocks would decide."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

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
    spread = float(logs.std(ddof=1))
    for blocks in range(len(ratios) + 1, MOST_BLOCKS + 1):
        if float(stats.t.ppf(0.975, blocks - 1)) * spread / math.sqrt(blocks) < distance:
            return blocks
    return None
