"""A condition's figure, and the ratio of two, over blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairtrial.statistics.bootstrap import LEVEL, mean_interval


@dataclass(frozen=True)
class Estimated:
    """What the blocks say: in the unit of the values, or a plain number for a ratio."""

    estimate: float
    interval: tuple[float, float] | None
    blocks: int


def over_blocks(values: Sequence[float], random: np.random.Generator, level: float = LEVEL) -> Estimated:
    """The geometric mean of one value a block, and the interval of this level for what it estimates.

    Figures of computers differ by factors: a start that is 5% slower is so at 100 and at 10,000 requests a
    second. On the logarithm the interval cannot reach below zero, and the ratio of two conditions' estimates
    over the same blocks equals the estimate of their ratio. Values that are not all positive (a figure of
    zero) are averaged as they are.

    Raises:
        ValueError: no values.
    """
    if not values:
        raise ValueError("an estimate needs at least one block")
    sample = np.asarray(values, dtype=np.float64)
    if bool((sample > 0).all()):
        logs = np.log(sample)
        interval = mean_interval(logs, random, level)
        scaled = None if interval is None else (float(np.exp(interval[0])), float(np.exp(interval[1])))
        return Estimated(float(np.exp(logs.mean())), scaled, sample.size)
    return Estimated(float(sample.mean()), mean_interval(sample, random, level), sample.size)


def paired_difference(
    of: Sequence[float], to: Sequence[float], random: np.random.Generator, level: float = LEVEL
) -> Estimated:
    """The mean difference `of` - `to`, whose i-th values stem from the same block, with its interval.

    Raises:
        ValueError: the lengths differ, or there are no values.
    """
    if len(of) != len(to) or not of:
        raise ValueError("a paired difference needs as many values on either side, and at least one")
    differences = np.asarray(of, dtype=np.float64) - np.asarray(to, dtype=np.float64)
    return Estimated(float(differences.mean()), mean_interval(differences, random, level), differences.size)


def paired_ratio(
    of: Sequence[float], to: Sequence[float], random: np.random.Generator, level: float = LEVEL
) -> Estimated:
    """The ratio `of` / `to`, whose i-th values stem from the same block, with its interval.

    The logarithms of the blocks' ratios are averaged: what slows a whole block slows both sides, and cancels.

    Raises:
        ValueError: the lengths differ, or a value is not positive, so that no ratio exists.
    """
    if len(of) != len(to):
        raise ValueError("a paired ratio needs as many values on either side")
    if any(value <= 0 for value in (*of, *to)):
        raise ValueError("a ratio needs positive values")
    return over_blocks([left / right for left, right in zip(of, to, strict=True)], random, level)
