"""The share of starts that have a property, of which so many of so many tried have it.

Clopper and Pearson's interval: the shares under which so many or more, and so few or fewer, would be found in more than
α/2 of experiments. It holds the truth at least as often as its level says, however few starts there are: of n that all
have the property, the lower end is (α/2)^(1/n).

Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26 (1934), 404-413; its ends as quantiles of the beta distribution.
"""

from fairtrial.judge.statistics.distributions import beta_quantile
from fairtrial.judge.statistics.student import LEVEL

MOST_STARTS = 1000


def share_interval(having: int, tried: int, level: float = LEVEL) -> tuple[float, float]:
    """The interval for the share, from 0 to 1, of which `having` of `tried` is an observation.

    Raises:
        ValueError: nothing was tried, or more have the property than were tried.
    """
    if not 0 <= having <= tried or tried == 0:
        raise ValueError("a share needs starts, and no more that have the property than were tried")
    tail = (1 - level) / 2
    low = 0.0 if having == 0 else beta_quantile(tail, having, tried - having + 1)
    high = 1.0 if having == tried else beta_quantile(1 - tail, having + 1, tried - having)
    return low, high


def starts_to_decide(having: int, tried: int, bound: float, level: float = LEVEL) -> int | None:
    """The smallest number of starts, more than were tried, whose interval leaves `bound` out if the share stays.

    Returns:
        None if more than MOST_STARTS would be needed.
    """
    for starts in range(tried + 1, MOST_STARTS + 1):
        low, high = share_interval(round(starts * having / tried), starts, level)
        if low >= bound or high < bound:
            return starts
    return None
