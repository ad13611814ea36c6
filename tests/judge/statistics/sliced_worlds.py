"""Worlds in which two conditions are measured in slices, or in whole windows of the same time, one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairtrial.experiment.slices import LEAST_ROUNDS, Slices
from fairtrial.judge.losses import too_many
from fairtrial.judge.statistics.estimate import Resolution, at_resolution, paired_ratio

ROUNDS = 12
BLOCKS = 12
"""For which the three minutes of `ab-test` are enough."""
BETWEEN_SLICES = 0.03
"""Standard deviation of a slice's logarithm around its restart's, half of which leans on the slice before (AR(1))."""
UNDER_LOAD = 0.3
"""What comes to it for a whole processor of foreign load: at a half, slices were seen to scatter by 17%."""
METER_NOISE = 0.03
"""Of a foreign share over 0.4 s: the kernel samples whose processor it is, 250 times a second."""
SLOW_MODE = 0.1
"""By which share a start of the slow kind is slower."""
REFUSED = 0.25
"""The check foreign-load refuses a whole window in which others used so much."""

Design = Literal["slices", "slices in order", "whole windows", "groups drawn", "groups apart"]
"""`slices in order` are those of the first condition before those of the second in every round. In groups each of the
two is measured beside another, in one group after the other: in all blocks, or in those in which they were drawn so."""

TOGETHER = 2 / 5
"""Where groups are drawn anew, in so many of the blocks two of six in groups of three are together."""


@dataclass(frozen=True)
class World:
    """How the logarithm of a slice's rate comes about. What is said of the second condition hits that one alone,
    everything else both sides alike."""

    truth: float = 1.0
    """the ratio of the second condition's rate to the first's"""
    restarts: float = 0.03
    """standard deviation of the ratio of two restarts"""
    slow: float = 0.0
    """of the restarts of either condition, the share that is of a slow kind for as long as it is up"""
    busy: float = 0.6
    """of the time that others are at work, in stretches of eight slices in the mean; 1: always, each block at a load of
    its own"""
    load: tuple[float, float] = (0.2, 0.8)
    """between which shares of the server's processors they then use"""
    seen: bool = True
    """whether the meters see what others use"""
    unseen: float = 0.0
    """what nobody sees takes from the second condition alone, as a share: its own doing on another processor, say"""
    beside: float = 0.0
    """the share of the server's processors that others use whenever the second condition is measured"""
    beat: float = 0.0
    """the share that a neighbour uses half of the time, as often as there are rounds"""
    warming: float = 0.0
    """what the machine loses of its speed over the time of a block, linearly"""
    wander: float = 0.0
    """standard deviation of its speed after a block, to which it goes in a random walk"""
    leak: float = 0.0
    """what the second condition loses of its rate in the time of a block, linearly, as long as it is up"""


@dataclass(frozen=True)
class Outcomes:
    """What the judge makes of so many experiments."""

    experiments: int
    intervals: NDArray[np.float64]
    """of the ratio, shape (judged experiments, 2): of those that have figures"""

    def covered(self, truth: float) -> int:
        """How many intervals hold this ratio."""
        return int(((self.intervals[:, 0] <= truth) & (truth <= self.intervals[:, 1])).sum())

    def slower(self, margin: float) -> int:
        """How many experiments find the second condition slower than the margin allows."""
        return int((self.intervals[:, 1] < margin).sum())

    @property
    def reach(self) -> float:
        """The median of how far an interval reaches to either side, as a share; NaN without any."""
        logs = np.log(self.intervals)
        return float(np.median(np.diff(logs) / 2)) if len(logs) else float("nan")


def outcomes(world: World, design: Design, experiments: int, rule: Slices) -> Outcomes:
    """The intervals as the judge makes them: of medians, and in slices wider by what others used beside one side."""
    rates, keep, shares = rounds_of(world, experiments, rule, design)
    logs = _ratios(rates, keep)
    intervals = []
    for ratios, kept, foreign in zip(np.exp(logs), keep, shares, strict=True):
        measured = ~np.isnan(ratios)
        lost = int((~measured).sum())
        # A block in slices that is crowded leaves a claim undecided; whole ones that are refused are left out.
        if (lost and "slices" in design) or too_many(lost, len(ratios)):
            continue
        estimate = paired_ratio(ratios[measured].tolist(), [1.0] * int(measured.sum()))
        if design != "whole windows":
            excess = float(np.diff(np.where(kept, foreign, 0.0).sum(axis=(0, 1)) / kept.sum(axis=(0, 1)))[0])
            reach = abs(excess) / (1 - abs(excess))
            resolution = Resolution(above=reach) if excess > 0 else Resolution(below=reach)
            estimate = at_resolution(estimate, resolution, is_ratio=True)
        if estimate.interval is not None:
            intervals.append(estimate.interval)
    return Outcomes(experiments, np.array(intervals).reshape(-1, 2))


@cache
def measured(world: World, experiments: int, rule: Slices | None) -> NDArray[np.float64]:
    """The logarithm of each block's ratio, shape (experiments, BLOCKS); NaN where too few rounds were kept.

    Args:
        rule: which rounds are kept; None: all of them.
    """
    rates, keep, _ = rounds_of(world, experiments, rule)
    return _ratios(rates, keep)


def _ratios(rates: NDArray[np.float64], keep: NDArray[np.bool_]) -> NDArray[np.float64]:
    sums = np.where(keep, rates, 0.0).sum(axis=2) / np.maximum(keep.sum(axis=2), 1)
    enough = (keep.sum(axis=2) >= LEAST_ROUNDS).all(axis=-1)
    logs = np.log(np.where(enough[..., None], sums, 1.0))
    blocks: NDArray[np.float64] = np.where(enough, logs[..., 1] - logs[..., 0], np.nan)
    return blocks


def rounds_of(
    world: World, experiments: int, rule: Slices | None, design: Design = "slices"
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """The rate of each slice, shape (experiments, BLOCKS, ROUNDS, 2), which slices are kept, and the foreign shares
    that the meters show of them.

    The few blocks that would go on beyond the planned rounds end there, and have no figures.
    """
    random = np.random.default_rng(67)
    shape = (experiments, BLOCKS, ROUNDS, 2)
    is_together = np.zeros((experiments, BLOCKS), dtype=bool)
    if design == "groups drawn":
        is_together = random.random(is_together.shape) < TOGETHER
    slots = _slots(random, design, shape, is_together)
    in_time = _foreign(random, world, shape, slots.max() + 1)
    foreign = np.take_along_axis(in_time, slots.reshape(experiments, BLOCKS, -1), axis=2).reshape(shape)
    foreign[..., 1] += world.beside
    logs = random.normal(0, 0.1, (experiments, BLOCKS, 1, 1))  # what a whole block has in common
    logs = logs + random.normal(0, world.restarts / np.sqrt(2), (experiments, BLOCKS, 1, 2))
    logs = logs + np.log1p(-SLOW_MODE) * (random.random((experiments, BLOCKS, 1, 2)) < world.slow)
    logs = logs + _leaning(random, foreign) + np.log1p(-foreign) + _of_machine(random, world, slots)
    since_start = slots if "slices" in design else slots - slots[:, :, :1, :]
    logs[..., 1] += np.log1p(-world.leak * since_start[..., 1] / (2 * ROUNDS))
    logs[..., 1] += np.log(world.truth) + np.log1p(-world.unseen)
    shown = foreign if world.seen else np.zeros(shape)
    shares: NDArray[np.float64] = np.maximum(shown + random.normal(0, METER_NOISE, shape), 0.0)
    keep = np.ones(shape, dtype=bool)
    if rule is not None and design == "whole windows":
        keep &= (shares.mean(axis=2) < REFUSED).all(axis=-1)[..., None, None]
    elif rule is not None:
        are_pairs = is_together | ("slices" in design)
        for at in np.ndindex(experiments, BLOCKS):
            _select(rule, shares[at], keep[at], bool(are_pairs[at]))
    return np.exp(logs), keep, shares


def _select(rule: Slices, shares: NDArray[np.float64], keep: NDArray[np.bool_], is_together: bool) -> None:
    """Keep rounds of a block by the rule: those of both sides, or of two groups, each by its own."""
    for sides in [slice(None)] if is_together else [slice(0, 1), slice(1, 2)]:
        rounds = [[(share, 0.0) for share in each] for each in shares[:, sides].tolist()]
        keep[:, sides] = np.array(rule.selection(rounds)[1])[:, None]


def _slots(
    random: np.random.Generator, design: Design, shape: Sequence[int], is_together: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """When each slice is measured, from 0: shape (experiments, blocks, rounds, 2)."""
    experiments, blocks, rounds, sides = shape
    number = np.arange(rounds)[:, None]
    side = np.broadcast_to(np.arange(sides), (experiments, blocks, rounds, sides))
    if design == "whole windows":
        place = np.where(random.random((experiments, blocks, 1, 1)) < 0.5, side, 1 - side)
        return place * rounds + number
    if design != "slices in order":
        side = np.where(random.random((experiments, blocks, rounds, 1)) < 0.5, side, 1 - side)
    together: NDArray[np.int64] = side + sides * number
    if "slices" in design:
        return together
    first = random.random((experiments, blocks, 1, 1)) < 0.5
    group = np.where(is_together[..., None, None], 0, np.where(first, np.arange(sides), 1 - np.arange(sides)))
    together += group * sides * rounds
    return together


def _of_machine(random: np.random.Generator, world: World, slots: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the machine's own speed does to each slice, by when it is measured."""
    experiments, blocks, rounds, sides = slots.shape
    times = slots.max() + 1
    steps = random.normal(0, world.wander / np.sqrt(rounds * sides), (experiments, blocks, times))
    in_time = np.cumsum(steps, axis=2) + np.log1p(-world.warming * np.arange(times) / (rounds * sides))
    speeds: NDArray[np.float64] = np.take_along_axis(in_time, slots.reshape(experiments, blocks, -1), axis=2)
    return speeds.reshape(slots.shape)


def _foreign(random: np.random.Generator, world: World, shape: Sequence[int], times: int) -> NDArray[np.float64]:
    """The share of the server's processors that others use in the time of each slice, shape (experiments, blocks,
    times): a stretch goes on from one to the next."""
    experiments, blocks, _, sides = shape
    busy, (least, most) = world.busy, world.load
    ends = 1 / 8 if busy < 1 else 0.0
    begins = busy / (1 - busy) / 8 if busy < 1 else 1.0
    in_time = np.empty((experiments, blocks, times))
    state = random.random((experiments, blocks)) < busy
    load = random.uniform(least, most, (experiments, blocks))
    for at in range(times):
        in_time[..., at] = np.where(state, load, random.uniform(0, 0.04, state.shape))
        turns = random.random(state.shape) < np.where(state, ends, begins)
        load = np.where(turns, random.uniform(least, most, state.shape), load)
        state = state ^ turns
    first = random.integers(0, sides, (experiments, blocks, 1))
    in_time += world.beat * (np.arange(times) % sides == first)
    return in_time


def _leaning(random: np.random.Generator, foreign: NDArray[np.float64]) -> NDArray[np.float64]:
    """Noise of the slices of one restart, each of which leans on the one before; more under foreign load."""
    shape = foreign.shape
    own = random.normal(0, BETWEEN_SLICES / np.sqrt(2), shape)
    level = random.normal(0, BETWEEN_SLICES / np.sqrt(2), (*shape[:2], shape[3]))
    for number in range(shape[2]):
        own[:, :, number, :] += level
        level = 0.7 * level + np.sqrt(1 - 0.7**2) * random.normal(0, BETWEEN_SLICES / np.sqrt(2), level.shape)
    noise: NDArray[np.float64] = own + UNDER_LOAD * foreign * random.standard_normal(shape)
    return noise


FAILING: dict[str, World] = {
    "quiet, restarts differ by 1%": World(busy=0, restarts=0.01),
    "quiet, by 5%": World(busy=0, restarts=0.05),
    "quiet, a third of restarts slower by a tenth": World(busy=0, restarts=0.01, slow=1 / 3),
    "others at work for 60% of the time": World(restarts=0.01),
    "the machine's speed wanders by 3% in a block": World(busy=0, restarts=0.01, wander=0.03),
    "the machine slows by 5% in each block": World(busy=0, restarts=0.01, warming=0.05),
    "a neighbour with the period of the rounds, 8%": World(busy=0, restarts=0.01, beat=0.08),
    "the same, which no meter sees": World(busy=0, restarts=0.01, beat=0.08, seen=False),
    "others beside one side alone, 9%": World(busy=0, restarts=0.01, beside=0.09),
    "the same, which no meter sees: 9%": World(busy=0, restarts=0.01, beside=0.09, seen=False),
    "one side slows by 2% while it is up": World(busy=0, restarts=0.01, leak=0.02),
    "one side slows by 10% while it is up": World(busy=0, restarts=0.01, leak=0.10),
}
"""Worlds in which slices might fail, of conditions that are equal when they start."""
