"""Worlds in which two conditions are measured in slices, on a machine where others work in stretches."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairtrial.experiment.ab_test import SLICED_BLOCKS
from fairtrial.experiment.slices import LEAST_ROUNDS, Slices

ROUNDS = 12
BLOCKS = SLICED_BLOCKS
BETWEEN_SLICES = 0.03
"""Standard deviation of a slice's logarithm around its restart's, half of which leans on the slice before (AR(1))."""
UNDER_LOAD = 0.3
"""What comes to it for a whole processor of foreign load: at a half, slices were seen to scatter by 17%."""
METER_NOISE = 0.03
"""Of a foreign share over 0.4 s: the kernel samples whose processor it is, 250 times a second."""


@dataclass(frozen=True)
class World:
    """How the logarithm of a slice's rate comes about. Everything but `truth` and `unseen` hits both sides alike."""

    truth: float = 1.0
    """the ratio of the second condition's rate to the first's"""
    restarts: float = 0.03
    """standard deviation of the ratio of two restarts"""
    busy: float = 0.6
    """of the time that others are at work, in stretches of eight slices in the mean; 1: always, each block at a load of
    its own"""
    load: tuple[float, float] = (0.2, 0.8)
    """between which shares of the server's processors they then use"""
    seen: bool = True
    """whether the meters see what others use"""
    unseen: float = 0.0
    """what nobody sees takes from the second condition alone, as a share: its own doing on another processor, say"""


@cache
def measured(world: World, experiments: int, rule: Slices | None) -> NDArray[np.float64]:
    """The logarithm of each block's ratio, shape (experiments, BLOCKS); NaN where too few rounds were kept.

    Args:
        rule: which rounds are kept; None: all of them.
    """
    rates, keep = rounds_of(world, experiments, rule)
    sums = np.where(keep[..., None], rates, 0.0).sum(axis=2)
    enough = keep.sum(axis=2) >= LEAST_ROUNDS
    logs = np.log(np.where(enough[..., None], sums, 1.0))
    blocks: NDArray[np.float64] = np.where(enough, logs[..., 1] - logs[..., 0], np.nan)
    return blocks


def rounds_of(world: World, experiments: int, rule: Slices | None) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The rate of each slice, shape (experiments, BLOCKS, ROUNDS, 2), and which rounds are kept, without the last.

    The few blocks that would go on beyond the planned rounds end there, and have no figures.
    """
    random = np.random.default_rng(67)
    shape = (experiments, BLOCKS, ROUNDS, 2)
    foreign = _foreign(random, world, shape)
    logs = random.normal(0, 0.1, (experiments, BLOCKS, 1, 1))  # what a whole block has in common
    logs = logs + random.normal(0, world.restarts / np.sqrt(2), (experiments, BLOCKS, 1, 2))
    logs = logs + _leaning(random, foreign) + np.log1p(-foreign)
    logs[..., 1] += np.log(world.truth) + np.log1p(-world.unseen)
    keep = np.ones(shape[:3], dtype=bool)
    if rule is not None:
        shown = foreign if world.seen else np.zeros(shape)
        shares = np.maximum(shown + random.normal(0, METER_NOISE, shape), 0.0)
        for experiment, blocks in enumerate(shares.tolist()):
            for block, rounds in enumerate(blocks):
                keep[experiment, block] = rule.selection([[(share, 0.0) for share in each] for each in rounds])[1]
    return np.exp(logs), keep


def _foreign(random: np.random.Generator, world: World, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The share of the server's processors that others use in each slice: the slices of a round follow each other,
    in random order, and a stretch goes on from one to the next."""
    experiments, blocks, rounds, sides = shape
    busy, (least, most) = world.busy, world.load
    ends = 1 / 8 if busy < 1 else 0.0
    begins = busy / (1 - busy) / 8 if busy < 1 else 1.0
    in_time = np.empty((experiments, blocks, rounds * sides))
    state = random.random((experiments, blocks)) < busy
    load = random.uniform(least, most, (experiments, blocks))
    for at in range(rounds * sides):
        in_time[..., at] = np.where(state, load, random.uniform(0, 0.04, state.shape))
        turns = random.random(state.shape) < np.where(state, ends, begins)
        load = np.where(turns, random.uniform(least, most, state.shape), load)
        state = state ^ turns
    pairs = in_time.reshape(shape)
    swapped = random.random(shape[:3]) < 0.5
    foreign: NDArray[np.float64] = np.where(swapped[..., None], pairs[..., ::-1], pairs)
    return foreign


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
