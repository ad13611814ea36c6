"""The share of starts that have a property, of which so many of so many tried have it.

Clopper and Pearson's interval: the shares under which so many or more, and so few or fewer, would be found in more than
α/2 of experiments. It holds the truth at least as often as its level says, however few starts there are: of n that all
have the property, the lower end is (α/2)^(1/n).

Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26 (1934), 404-413; its ends as quantiles of the beta distribution.
"""

import math

import numpy as np

from fairtrial.judge.statistics.distributions import beta_binomial_probabilities, beta_quantile, binomial_probabilities
from fairtrial.judge.statistics.student import LEVEL

MOST_STARTS = 1000
POWER = 0.8
"""The share of runs that a number of starts is to decide."""


def share_interval(having: int, total: int, level: float = LEVEL) -> tuple[float, float]:
    """The interval for the share, from 0 to 1, of which `having` of `total` is an observation.

    Raises:
        ValueError: nothing was tried, or more have the property than were tried.
    """
    if not 0 <= having <= total or total == 0:
        raise ValueError("a share needs starts, and no more that have the property than were tried")
    tail = (1 - level) / 2
    low = 0.0 if having == 0 else beta_quantile(tail, having, total - having + 1)
    high = 1.0 if having == total else beta_quantile(1 - tail, having + 1, total - having)
    return low, high


def starts_to_decide(having: int, total: int, bound: float, level: float = LEVEL) -> int | None:
    """The fewest starts, more than were tried, from which on POWER of runs decide on `bound`, by what is known.

    A run of n starts decides if Clopper and Pearson's interval leaves the bound out: if so many, or so few, have a
    probability of at most α/2 where the share is the bound. How many of n will have the property is beta-binomial, by
    Jeffreys' prior: that the share is just what was found is known of no number of starts, and to plan as if it were
    decides three runs of five. With one start more the probability may fall, as counts are whole: a number whose
    successors decide less often is not named.

    Sources: H. Jeffreys, Theory of Probability, 3rd edition (1961), section 3.10, for the prior; M. R. Chernick and
    C. Y. Liu, "The saw-toothed behavior of power versus sample size and software solutions", The American Statistician
    56 (2002), 149-155, for the number from which on the probability is reached.

    Returns:
        None if more than MOST_STARTS would be needed.
    """
    tail = (1 - level) / 2
    fewest = None
    for starts in range(MOST_STARTS, total, -1):
        at_bound = binomial_probabilities(starts, bound)
        decides = (np.cumsum(at_bound[::-1])[::-1] <= tail) | (np.cumsum(at_bound) < tail)
        if beta_binomial_probabilities(starts, having + 0.5, total - having + 0.5)[decides].sum() < POWER:
            break
        fewest = starts
    return fewest


def fewest_to_uphold(bound: float, level: float = LEVEL) -> int:
    """The number of starts that uphold a share of at least `bound` if all of them have the property."""
    return math.ceil(math.log((1 - level) / 2) / math.log(bound))
