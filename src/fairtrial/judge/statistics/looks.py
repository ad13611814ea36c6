"""Looking at an experiment more than once, with the error rate held.

Adding blocks until a claim is decided, with the 95% interval each time, decides a claim whose bound is exactly the
truth far more often than 5 times in 100. Here the numbers of blocks at which claims are judged (looks) are fixed before
any figure is looked at, from the clock: the blocks before the first look say how long a block takes, and so how many
there is time for. The 5% are spent on the looks. A quarter of it goes to all looks but the last, in proportion to the
blocks that each adds; three quarters are kept for the last. With n_k blocks at look k of K, its interval has the level

    1 - α / 4 · (n_k - n_(k-1)) / n_(K-1),  n_0 = 0;  at the last, 1 - α · 3 / 4;  with a single look, 1 - α.

Where the time runs out before the last look, at 17 blocks of the planned 5, 10, 20, no look follows for which error
would have to be kept. That interval spends all that is left, as a clock knows no figures.

The shares add up to α, so by Bonferroni's inequality all intervals of an experiment hold the truth together in 95 of
100 experiments. Looks may depend on each other in any way. Exact boundaries (Lan and DeMets) would be a few percent
narrower, but rest on the joint normal distribution of the looks, which Student-like statistics of three to ten blocks
do not follow. Three quarters at the end cost little of what a single look could decide in the same time (1 to 3 points
of power); early looks, at 99% and more, still decide the large differences that are common between stacks.
Spending in proportion to all blocks (`last_share` None), as records have it whose looks were not planned from the
clock, costs up to 11 points where there is time for twice the blocks of the first look: docs/statistics.md.

Sources: K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70 (1983),
659-663 (spending); K. Kim and D. L. DeMets, "Design and analysis of group sequential tests based on the type I error
spending rate function", Biometrika 74 (1987), 149-154 (in proportion: their power family with exponent 1); C.
Jennison and B. W. Turnbull, "Interim analyses: the repeated confidence interval approach", Journal of the Royal
Statistical Society B 51 (1989), 305-361.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS

MOST_LOOKS = 5
"""A sixth look would leave less than one percent of error to most looks, and save few blocks."""

LAST_SHARE = 0.75
"""The last look keeps this share of the error. This project's choice: a claim that is hard to decide needs all the time
of a run, and one that is easy is decided at any level."""


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


def looks_in_time(
    first_blocks: int, most_blocks: int, elapsed_seconds: float, within_seconds: float, *, ends_in_time: bool
) -> list[int]:
    """The looks for which there is time: planned when `first_blocks` are over and before they are judged.

    Args:
        elapsed_seconds: what the first blocks took.
        within_seconds: what the run may take, these blocks included.
        ends_in_time: whether the last block is to end by then; else it is the block in which the time is over.

    Raises:
        ValueError: as `plan_looks`.
    """
    if elapsed_seconds <= 0:
        return plan_looks(first_blocks, most_blocks)
    fitting = min(within_seconds / elapsed_seconds * first_blocks, most_blocks)
    return plan_looks(first_blocks, max(first_blocks, math.floor(fitting) if ends_in_time else math.ceil(fitting)))


def level_at(look: int, looks: Sequence[int], level: float = LEVEL, *, last_share: float | None = LAST_SHARE) -> float:
    """The level of the interval at look number `look`, counted from 1, to be used in place of `level`.

    `looks` are the numbers of blocks at each look, ascending. None may depend on what the figures say.

    Args:
        last_share: of the error, for the last look; None: each has its share by the blocks that it adds.

    Raises:
        ValueError: `looks` are not ascending from 1 or more, or there is no such look.
    """
    if not looks or looks[0] < 1 or any(after <= before for before, after in pairwise(looks)):
        raise ValueError("looks are ascending numbers of blocks")
    if not 1 <= look <= len(looks):
        raise ValueError(f"there is no look {look} of {len(looks)}")
    return 1 - (1 - level) * _shares(looks, last_share)[look - 1]


def level_of_rest(
    spent_at: int, looks: Sequence[int], level: float = LEVEL, *, last_share: float | None = LAST_SHARE
) -> float:
    """The level of the last interval of all, taken after the look at `spent_at` blocks (0: after none).

    It spends all that was not spent by then. That it is the last one may depend on the clock, but on no figure.

    Raises:
        ValueError: there is nothing left to spend, or no plan.
    """
    if not looks or not 0 <= spent_at < looks[-1]:
        raise ValueError("after the last look nothing is left to spend")
    spent = sum(share for look, share in zip(looks, _shares(looks, last_share), strict=True) if look <= spent_at)
    return 1 - (1 - level) * (1 - spent)


def _shares(looks: Sequence[int], last_share: float | None) -> list[float]:
    """The shares of the error that each look may spend; they add up to 1."""
    added = [look - before for before, look in pairwise([0, *looks])]
    if last_share is None:
        return [blocks / looks[-1] for blocks in added]
    if len(looks) == 1:
        return [1.0]
    return [*((1 - last_share) * blocks / looks[-2] for blocks in added[:-1]), last_share]
