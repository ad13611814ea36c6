"""Looking at an experiment more than once, with the error rate held.

Adding blocks until a claim is decided, with the 95% interval each time, decides a claim whose bound is exactly the
truth far more often than 5 times in 100. Here the numbers of blocks at which claims are judged (looks) are fixed in
advance, and the 5% are spent on them: by look k of K, with n_k blocks of n_K, the share α · n_k / n_K of the error may
have been spent, and the interval at look k has the level

    1 - α · (n_k - n_(k-1)) / n_K,  with n_0 = 0.

Where the time runs out first, at 13 blocks of the planned 5, 10, 20, 40, no look follows for which error would have to
be kept. That interval spends all that is left, α · (1 - 10/40), as a clock knows no figures.

The shares add up to α, so by Bonferroni's inequality all intervals of an experiment hold the truth together in 95 of
100 experiments. Looks may depend on each other in any way. The exact boundaries of Lan and DeMets spend the
same function with a last interval about 4% narrower (5, 10, 20, 40 blocks), but rest on the joint normal distribution
of the looks, which Student-like statistics of three to ten blocks do not follow. The spending is linear and not of
O'Brien and Fleming's kind, because large differences, common between stacks, should be decided early, and because
their first look, at 0.000003% for 5 of 40 blocks, is a level at which no interval from five values can be trusted.

Sources: K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983),
659-663 (spending); K. Kim and D. L. DeMets, "Design and analysis of group sequential tests based on the type I error
spending rate function", Biometrika 74 (1987), 149-154 (linear spending: their power family with exponent 1); C.
Jennison and B. W. Turnbull, "Interim analyses: the repeated confidence interval approach", Journal of the Royal
Statistical Society B 51 (1989), 305-361.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS

MOST_LOOKS = 5
"""A sixth look would leave less than one percent of error to most looks, and save few blocks."""


def plan_looks(first_blocks: int, most_blocks: int) -> list[int]:
    """The numbers of blocks at which to look: from the first to the most, each about twice its predecessor.

    Blocks grow geometrically, as the precision that a block adds shrinks. More than MOST_LOOKS are never
    planned; the steps are larger then. `most_blocks` alone, if it is less than 1.4 times `first_blocks`.

    Raises:
        ValueError: fewer than MINIMUM_BLOCKS blocks at first, or fewer at most than at first.
    """
    if first_blocks < MINIMUM_BLOCKS:
        raise ValueError(f"a first look needs at least {MINIMUM_BLOCKS} blocks")
    if most_blocks < first_blocks:
        raise ValueError("the most blocks are at least the first")
    growth = most_blocks / first_blocks
    steps = min(MOST_LOOKS - 1, round(math.log2(growth)))
    if steps == 0:
        return [most_blocks]
    return [round(first_blocks * growth ** (step / steps)) for step in range(steps + 1)]


def level_at(look: int, looks: Sequence[int], level: float = LEVEL) -> float:
    """The level of the interval at look number `look`, counted from 1, to be used in place of `level`.

    `looks` are the numbers of blocks at each look, ascending. None may depend on what the figures say: they are fixed
    before the first.

    Raises:
        ValueError: `looks` are not ascending from 1 or more, or there is no such look.
    """
    if not looks or looks[0] < 1 or any(after <= before for before, after in pairwise(looks)):
        raise ValueError("looks are ascending numbers of blocks")
    if not 1 <= look <= len(looks):
        raise ValueError(f"there is no look {look} of {len(looks)}")
    since = looks[look - 2] if look > 1 else 0
    return 1 - (1 - level) * (looks[look - 1] - since) / looks[-1]


def level_of_rest(spent_at: int, looks: Sequence[int], level: float = LEVEL) -> float:
    """The level of the last interval of all, taken after the look at `spent_at` blocks (0: after none).

    It spends all that was not spent by then. That it is the last one may depend on the clock, but on no figure.

    Raises:
        ValueError: there is nothing left to spend, or no plan.
    """
    if not looks or not 0 <= spent_at < looks[-1]:
        raise ValueError("after the last look nothing is left to spend")
    return 1 - (1 - level) * (1 - spent_at / looks[-1])
