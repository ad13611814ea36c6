"""Budgets on the p99 of few answers, and of answers that are slow together: simulated trials of ten seconds."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.claims.tail_reach import LEAST_GROUPS
from fairtrial.judge.statistics.distributions import normal_quantile
from fairtrial.judge.statistics.estimate import Resolution, at_resolution, over_blocks, paired_ratio
from fairtrial.record.histogram import position_of

Floats = NDArray[np.float64]
Method = Literal["nearest rank", "unbiased", "with its reach"]
SECONDS = 10
TRUTH = float(np.exp(normal_quantile(0.99)))
ALIKE = 0.9
"""Of the variance of answers that are slow together, what they have in common."""


def budgets(together: int, answers: int, blocks: int, repetitions: int, method: Method) -> tuple[int, int, int]:
    """A budget at the true p99 of lognormal times: how often "at most" it is upheld, and "at least", and how often the
    claim is withheld, as there are too few groups of slow answers."""
    random = np.random.default_rng(47)
    at_most = at_least = withheld = 0
    for _ in range(repetitions):
        times = _times(random, together, blocks, answers)
        values, reach = _p99s(times, method)
        if reach == np.inf:
            withheld += 1
            continue
        figure = over_blocks(values.tolist())
        interval = at_resolution(figure, Resolution(above=reach * float(np.median(values)))).interval
        assert interval is not None
        at_most += interval[1] < TRUTH
        at_least += interval[0] > TRUTH
    return at_most, at_least, withheld


def ratios_held(answers: tuple[int, int], blocks: int, repetitions: int, method: Method) -> int:
    """Equal contenders with so many answers each: how often the ratio of their p99 holds 1."""
    random = np.random.default_rng(48)
    held = 0
    for _ in range(repetitions):
        of, to = (_p99s(_times(random, 1, blocks, each), method) for each in answers)
        ratio = paired_ratio(of[0].tolist(), to[0].tolist())
        interval = at_resolution(ratio, Resolution(above=of[1], below=to[1]), is_ratio=True).interval
        assert interval is not None
        held += interval[0] <= 1 <= interval[1]
    return held


def _times(random: np.random.Generator, together: int, blocks: int, answers: int) -> Floats:
    """Lognormal times, shape (blocks, answers), in the order in which the answers came."""
    if together == 1:
        return np.exp(random.standard_normal((blocks, answers)))
    common = np.repeat(random.standard_normal((blocks, answers // together)), together, axis=1)
    alone = random.standard_normal((blocks, answers))
    return np.asarray(np.exp(np.sqrt(ALIKE) * common + np.sqrt(1 - ALIKE) * alone), dtype=np.float64)


def _p99s(times: Floats, method: Method) -> tuple[Floats, float]:
    """The p99 of each block, and by what share a typical one may be too low."""
    answers = times.shape[1]
    ordered = np.sort(times, axis=1)
    if method == "nearest rank":
        return ordered[:, int(np.ceil(0.99 * answers)) - 1], 0.0
    values = _at(ordered, np.full(len(times), position_of(99, answers)))
    if method == "unbiased":
        return values, 0.0
    dispersion = _dispersion(times, ordered)
    positions = np.array([position_of(99, answers, max(1.0, each)) for each in dispersion])
    reaches = _at(ordered, positions) / values - 1
    reaches[answers * 0.01 < LEAST_GROUPS * dispersion] = np.inf
    return values, float(np.median(reaches))


def _at(ordered: Floats, positions: Floats) -> Floats:
    rows, last = np.arange(len(ordered)), ordered.shape[1]
    positions = np.clip(positions, 1, last)
    below = positions.astype(int)
    low, high = ordered[rows, below - 1], ordered[rows, np.minimum(below, last - 1)]
    return np.asarray(low + (high - low) * (positions - below), dtype=np.float64)


def _dispersion(times: Floats, ordered: Floats) -> Floats:
    """As the engine has it: Pearson's statistic of the numbers above p99 by second, over its degrees of freedom."""
    blocks, answers = times.shape
    limits = ordered[:, [int(np.ceil(0.99 * answers)) - 1]]
    above = (times > limits).reshape(blocks, SECONDS, -1).sum(axis=2)
    share = above.sum(axis=1, keepdims=True) / answers
    each = answers / SECONDS
    pearson = ((above - share * each) ** 2 / (each * share * (1 - share))).sum(axis=1)
    return np.asarray(pearson / (SECONDS - 1), dtype=np.float64)
