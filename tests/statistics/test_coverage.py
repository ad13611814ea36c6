"""Does a nominal 95% interval hold the truth 93 to 97 times in 100? The table in docs/statistics.md comes from here:

python -m tests.statistics.test_coverage [REPETITIONS]
"""

import sys
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from fairtrial.statistics.bootstrap import mean_interval

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]


def autocorrelated(random: np.random.Generator, blocks: int) -> NDArray[np.float64]:
    """A trial's figure as the mean of 60 slices of its window, each leaning on the last (AR(1), 0.9)."""
    noise = random.standard_normal((blocks, 60))
    slices = np.empty_like(noise)
    slices[:, 0] = noise[:, 0] / np.sqrt(1 - 0.9**2)
    for step in range(1, 60):
        slices[:, step] = 0.9 * slices[:, step - 1] + noise[:, step]
    means: NDArray[np.float64] = slices.mean(axis=1)
    return means


def slow_starts(random: np.random.Generator, blocks: int) -> NDArray[np.float64]:
    """One start in ten is slower by five standard deviations; the mean is -0.5."""
    return random.standard_normal(blocks) - 5 * (random.random(blocks) < 0.1) + 0.5


FIGURES: dict[str, Draw] = {
    "normal": lambda random, blocks: random.standard_normal(blocks),
    "Student t, 3 degrees": lambda random, blocks: random.standard_t(3, blocks),
    "Laplace": lambda random, blocks: random.laplace(size=blocks),
    "autocorrelated windows": autocorrelated,
    "gamma, shape 4 (skewed)": lambda random, blocks: random.gamma(4, size=blocks) - 4,
    "lognormal, sigma 0.5 (skewed)": lambda random, blocks: (
        np.exp(0.5 * random.standard_normal(blocks)) - np.exp(0.125)
    ),
    "one slow start in ten": slow_starts,
}
"""Deviations of a figure's logarithm from the truth. A lognormal figure is the first line."""

RATIOS: dict[str, Draw] = {
    "lognormal, sigma 1, both sides": lambda random, blocks: (
        np.exp(random.standard_normal(blocks)) - np.exp(random.standard_normal(blocks))
    ),
    "one slow start in ten, both sides": lambda random, blocks: (
        slow_starts(random, blocks) - slow_starts(random, blocks)
    ),
}
"""Deviations of a paired log-ratio: what is skewed on both sides alike is symmetric in the difference."""


def coverage(draw: Draw, blocks: int, repetitions: int, resamples: int = 999) -> float:
    """Share of repetitions whose interval holds the truth, zero."""
    random = np.random.default_rng(20_311)
    held = 0
    for _ in range(repetitions):
        interval = mean_interval(draw(random, blocks), random, resamples=resamples)
        assert interval is not None
        held += interval[0] <= 0 <= interval[1]
    return held / repetitions


HARD = {"one slow start in ten", "lognormal, sigma 0.5 (skewed)"}
"""Single figures for which no interval from five starts is honest: docs/statistics.md says by how much."""


@pytest.mark.parametrize("name", [*(FIGURES.keys() - HARD), *RATIOS])
def test_five_blocks_cover_as_they_say(name: str) -> None:
    share = coverage((FIGURES | RATIOS)[name], 5, 2000, resamples=499)
    assert 0.93 <= share <= 0.975  # 2,000 repetitions: standard error 0.5 points


@pytest.mark.parametrize("blocks", [3, 10])
def test_other_numbers_of_blocks_cover_too(blocks: int) -> None:
    assert 0.93 <= coverage(FIGURES["normal"], blocks, 2000, resamples=499) <= 0.97


def test_hard_cases_lose_little() -> None:
    for name in HARD:
        assert coverage(FIGURES[name], 5, 1000, resamples=499) > 0.89


if __name__ == "__main__":
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    sizes = (3, 4, 5, 7, 10, 20)
    print("| deviations |", " | ".join(f"{size} blocks" for size in sizes), "|")
    for label, drawn in (FIGURES | RATIOS).items():
        print(f"| {label} |", " | ".join(f"{100 * coverage(drawn, size, repeats):.1f}" for size in sizes), "|")
