"""Simulated experiments whose scatter lies within windows or between starts: what they advise, and if it is right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.estimate import over_blocks
from fairtrial.judge.statistics.median import median_interval
from fairtrial.judge.statistics.planning import window_to_decide
from fairtrial.judge.statistics.window_share import WindowShare, window_share

MOST_LONGER = 20.0


@dataclass(frozen=True)
class World:
    """Deviations on the logarithm: of starts, and of seconds, which correlate with their neighbours."""

    starts: float
    seconds: float
    correlation: float = 0.0

    def share_within(self, seconds: int) -> float:
        """The true share of the variance of a window's figure that lies within it."""
        lags = np.arange(1, seconds)
        correlated = 1 + 2 * float(np.sum((1 - lags / seconds) * self.correlation**lags))
        window = self.seconds**2 / seconds * correlated
        return window / (window + self.starts**2)

    def side(self, random: np.random.Generator, blocks: int, seconds: int) -> NDArray[np.float64]:
        """Figures of one condition second by second, shape (blocks, seconds)."""
        level = self.seconds * random.standard_normal(blocks)
        start = self.starts * random.standard_normal(blocks)
        own = self.seconds * math.sqrt(1 - self.correlation**2)
        figures = np.empty((blocks, seconds))
        for second in range(seconds):
            figures[:, second] = np.exp(7 + start + level)
            level = self.correlation * level + own * random.standard_normal(blocks)
        return figures


WITHIN = {
    "independent seconds": World(starts=0.0, seconds=0.1),
    "seconds at 0.3": World(starts=0.0, seconds=0.1, correlation=0.3),
    "and starts that differ a little": World(starts=0.01, seconds=0.1),
}
"""Longer windows help."""
WAVES = {
    "seconds at 0.7": World(starts=0.0, seconds=0.1, correlation=0.7),
    "seconds at 0.9": World(starts=0.0, seconds=0.1, correlation=0.9),
}
"""Longer windows help, but short ones cannot show it."""
BETWEEN = {
    "starts differ": World(starts=0.05, seconds=0.03),
    "and seconds at 0.3": World(starts=0.05, seconds=0.03, correlation=0.3),
    "starts alone": World(starts=0.1, seconds=0.01),
}
"""Longer windows do not help."""


@dataclass(frozen=True)
class Advice:
    """What so many experiments advise."""

    experiments: int
    not_longer: int
    longer: int
    decided: Sequence[bool]
    """of those undecided experiments that name a length, whether one with windows of that length is decided"""


def advised(world: World, blocks: int, seconds: int, repetitions: int) -> Advice:
    """The advice of experiments whose true ratio lies anywhere between 0.2 and 3 deviations from their bound."""
    random = np.random.default_rng(71)
    not_longer = longer = 0
    decided: list[bool] = []
    deviation = math.sqrt(2 * (world.starts**2 + world.seconds**2 / seconds))

    def tried(long: int, distance: float) -> tuple[NDArray[np.float64], WindowShare | None]:
        sides = [world.side(random, blocks, long) for _ in range(2)]
        ratios = np.log(sides[0].mean(axis=1) / sides[1].mean(axis=1))
        return ratios + distance, window_share(ratios.tolist(), [side.tolist() for side in sides])

    for _ in range(repetitions):
        distance = random.uniform(0.2, 3) * deviation
        ratios, share = tried(seconds, distance)
        if share is None:
            continue
        not_longer += share.is_small
        longer += share.is_large
        found = over_blocks(np.exp(ratios).tolist())
        assert found.interval is not None
        if not share.is_large or not found.interval[0] <= 1 <= found.interval[1]:
            continue
        times = window_to_decide(found, [1.0], share)
        if times is not None and times <= MOST_LONGER:
            low, high = median_interval(tried(math.ceil(times * seconds), distance)[0]) or (0.0, 0.0)
            decided.append(not low <= 0 <= high)
    return Advice(repetitions, not_longer, longer, decided)
