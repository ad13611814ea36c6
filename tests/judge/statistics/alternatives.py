"""The intervals of a ratio of few blocks that were not chosen, for the comparison in docs/statistics.md:

python -m tests.judge.statistics.alternatives [REPETITIONS]
"""

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from fairtrial.judge.statistics.student import mean_interval
from tests.judge.statistics.simulation import RATIOS, UNSYMMETRIC

Sample = NDArray[np.float64]
Interval = Callable[[Sample, np.random.Generator], tuple[float, float]]
RESAMPLES = 999


def percentile(values: Sample, random: np.random.Generator, tail: float = 0.025) -> tuple[float, float]:
    means = values[random.integers(0, values.size, (RESAMPLES, values.size))].mean(axis=1)
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def expanded_percentile(values: Sample, random: np.random.Generator) -> tuple[float, float]:
    """Hesterberg (2015): the tail that makes the interval as wide as Student's for normal data."""
    blocks = values.size
    tail = stats.norm.cdf(-np.sqrt(blocks / (blocks - 1)) * stats.t.ppf(0.975, blocks - 1))
    return percentile(values, random, float(tail))


def bca(values: Sample, random: np.random.Generator) -> tuple[float, float]:
    interval = stats.bootstrap((values,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=random, vectorized=True)
    return float(interval.confidence_interval.low), float(interval.confidence_interval.high)


def studentized(values: Sample, random: np.random.Generator) -> tuple[float, float]:
    blocks, mean, spread = values.size, values.mean(), values.std(ddof=1)
    drawn = values[random.integers(0, blocks, (RESAMPLES, blocks))]
    deviations = drawn.std(axis=1, ddof=1)
    usable = deviations > 1e-12 * spread
    ratios = (drawn.mean(axis=1) - mean)[usable] / deviations[usable]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(mean - high * spread), float(mean - low * spread)


def student(values: Sample, random: np.random.Generator) -> tuple[float, float]:
    del random
    interval = mean_interval(values)
    assert interval is not None
    return interval


METHODS: dict[str, Interval] = {
    "percentile": percentile,
    "BCa": bca,
    "expanded percentile": expanded_percentile,
    "studentized": studentized,
    "Student's t (chosen)": student,
}

if __name__ == "__main__":
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for blocks in (3, 5, 10):
        print(f"\n| {blocks} blocks |", " | ".join(METHODS), "|")
        for name, draw in RATIOS.items():
            if name in UNSYMMETRIC:  # their mean is not zero, or not their median
                continue
            shares = []
            for method in METHODS.values():
                random = np.random.default_rng(20_312)
                held = 0
                for _ in range(repetitions):
                    low, high = method(draw(random, blocks), random)
                    held += low <= 0 <= high
                shares.append(f"{100 * held / repetitions:.1f}")
            print(f"| {name} |", " | ".join(shares), "|", flush=True)
