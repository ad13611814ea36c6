"""Worlds in which two conditions are measured in slices, on a machine where others work in stretches."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairtrial.experiment.ab_test import SLICED_BLOCKS
from fairtrial.experiment.slices import LEAST_ROUNDS, SPARE_TIMES, Slices

ROUNDS = 12
BLOCKS = SLICED_BLOCKS
BETWEEN_SLICES = 0.03
"""Standard deviation of a slice's logarithm around its restart's, half of which leans on the slice before (AR(1))."""
MOST_ROUNDS = 100
"""More than a block of any experiment here takes."""
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
    """of the time that others are at work, in stretches of eight slices in the mean"""
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
    ratios, keep = rounds_of(world, experiments, rule)
    rates = np.where(keep[..., None], ratios, 0.0).sum(axis=2)
    enough = keep.sum(axis=2) >= LEAST_ROUNDS
    logs = np.log(np.where(enough[..., None], rates, 1.0))
    blocks: NDArray[np.float64] = np.where(enough, logs[..., 1] - logs[..., 0], np.nan)
    return blocks


def rounds_of(world: World, experiments: int, rule: Slices | None) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The rate of each slice, shape (experiments, BLOCKS, rounds, 2), and which rounds are kept, without the last."""
    random = np.random.default_rng(67)
    shape = (experiments, BLOCKS, MOST_ROUNDS, 2)
    foreign = _foreign(random, world.busy, shape)
    logs = random.normal(0, 0.1, (experiments, BLOCKS, 1, 1))  # what a whole block has in common
    logs = logs + random.normal(0, world.restarts / np.sqrt(2), (experiments, BLOCKS, 1, 2))
    logs = logs + _leaning(random, shape) + np.log1p(-foreign)
    logs[..., 1] += np.log(world.truth) + np.log1p(-world.unseen)
    keep = np.ones(shape[:3], dtype=bool)
    if rule is not None:
        shown = foreign if world.seen else np.zeros(shape)
        shares = np.maximum(shown + random.normal(0, METER_NOISE, shape), 0.0)
        keep = (shares <= rule.server_share).all(axis=3)
    return np.exp(logs), keep & _tried(keep, Slices() if rule is None else rule)


def _tried(keep: NDArray[np.bool_], rule: Slices) -> NDArray[np.bool_]:
    """Which rounds are tried: those beyond the planned ones while too few were kept, and while there are any to
    spare."""
    tried = np.zeros(keep.shape, dtype=bool)
    for experiment, blocks in enumerate(keep):
        spare = SPARE_TIMES * ROUNDS * BLOCKS
        for block, rounds in enumerate(blocks):
            so_far = [0, *np.cumsum(rounds).tolist()]
            number = 0
            while number < MOST_ROUNDS and rule.goes_on(number, so_far[number], ROUNDS, spare):
                number += 1
                spare -= number > ROUNDS
            tried[experiment, block, :number] = True
    return tried


def _foreign(random: np.random.Generator, busy: float, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The share of the server's processors that others use in each slice: the slices of a round follow each other,
    in random order, and a stretch goes on from one to the next."""
    experiments, blocks, rounds, sides = shape
    ends, begins = 1 / 8, busy / (1 - busy) / 8
    in_time = np.empty((experiments, blocks, rounds * sides))
    state = random.random((experiments, blocks)) < busy
    load = random.uniform(0.2, 0.8, (experiments, blocks))
    for at in range(rounds * sides):
        in_time[..., at] = np.where(state, load, random.uniform(0, 0.04, state.shape))
        turns = random.random(state.shape) < np.where(state, ends, begins)
        load = np.where(turns, random.uniform(0.2, 0.8, state.shape), load)
        state = state ^ turns
    pairs = in_time.reshape(shape)
    swapped = random.random(shape[:3]) < 0.5
    foreign: NDArray[np.float64] = np.where(swapped[..., None], pairs[..., ::-1], pairs)
    return foreign


def _leaning(random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Noise of the slices of one restart, each of which leans on the one before."""
    own = random.normal(0, BETWEEN_SLICES / np.sqrt(2), shape)
    level = random.normal(0, BETWEEN_SLICES / np.sqrt(2), (*shape[:2], shape[3]))
    for number in range(shape[2]):
        own[:, :, number, :] += level
        level = 0.7 * level + np.sqrt(1 - 0.7**2) * random.normal(0, BETWEEN_SLICES / np.sqrt(2), level.shape)
    return own
