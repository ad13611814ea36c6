"""Whether values that follow each other are independent: von Neumann's ratio of their ranks.

Values that are like the ones before them have neighbours that differ little, beside how far all values lie apart:

    RVN = Σ (R_i − R_{i+1})² / Σ (R_i − mean R)²

which is about 2 where they are independent, and smaller where they lean on each other. It assumes no distribution of
the values.

Source: R. Bartels, "The rank version of von Neumann's ratio test for randomness", Journal of the American Statistical
Association 77 (1982), 40-46, with its exact variance and the normal approximation, which it finds good from ten values
on.
"""

import math
from collections.abc import Sequence

import numpy as np

from fairtrial.judge.statistics.distributions import average_ranks, normal_above

SHORTEST = 10
"""The normal approximation holds from this length on."""


def serial_dependence(values: Sequence[float]) -> float:
    """The one-sided p-value: how often independent values are as much like the ones before them as these.

    Returns:
        1 if all are equal.

    Raises:
        ValueError: fewer than SHORTEST values.
    """
    length = len(values)
    if length < SHORTEST:
        raise ValueError(f"no fewer than {SHORTEST} values")
    ranks = average_ranks(np.asarray(values, dtype=np.float64))
    spread = float(((ranks - ranks.mean()) ** 2).sum())
    if spread == 0:
        return 1.0
    ratio = float((np.diff(ranks) ** 2).sum()) / spread
    variance = 4 * (length - 2) * (5 * length**2 - 2 * length - 9) / (5 * length * (length + 1) * (length - 1) ** 2)
    return normal_above((2 - ratio) / math.sqrt(variance))
