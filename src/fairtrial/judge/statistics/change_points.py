"""In which runs a figure changed to stay so: the steps of a series of runs, or that it drifted.

The likeliest step of the whole series is looked for, then that of what lies before it and of what lies after it, and so
on (binary segmentation: L. Vostrikova, "Detecting 'disorder' in multidimensional random processes", Soviet Mathematics
Doklady 24 (1981), 55-59; with random orders as the test of each step, as in E-Divisive: D. S. Matteson and N. A. James,
"A nonparametric approach for multiple change point analysis of multivariate data", JASA 109 (2014), 334-345). The test
is that of `trend.change_point`. A run is one value, the median over its blocks: runs scatter more than their blocks
say, and it is by the scatter of runs that a step is judged (T. Kalibera and R. Jones, "Rigorous benchmarking in
reasonable time", ISMM 2013).

A figure that fell and was mended shows no single step. So where there is none, the likeliest pair of steps is looked
for, there and back (circular binary segmentation: A. B. Olshen and others, "Circular binary segmentation for the
analysis of array-based DNA copy number data", Biostatistics 5 (2004), 557-572), with the same two tests.

Each of the two has half of the level, and the parts on either side of a step share the level at which it was found. So
a series without any change shows one with a probability of `alpha` at most, and so do all parts of a series beside its
true steps together.

A figure that drifts looks like a stair of steps. Where a straight line through the logarithms fits better than the
steps that were found, the series drifts, and no run is to blame, if Mann and Kendall's test agrees. Better is by more
than CLEARLY in the criterion of G. Schwarz ("Estimating the dimension of a model", Annals of Statistics 6 (1978),
461-464), which asks more of a fit with more parameters.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS
from fairtrial.judge.statistics.trend import PERMUTATIONS, SHORTEST, change_point, orders_of, trend, waves_of
from fairtrial.judge.statistics.unpaired import unpaired_ratio

FEWEST_ON_A_SIDE = MINIMUM_BLOCKS
"""With fewer values, a side has no interval, and one outlier would be a side of its own."""


CLEARLY = 2.0
"""R. E. Kass and A. E. Raftery, "Bayes factors", JASA 90 (1995), section 3.2: less is not worth more than a mention."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LevelChange:
    """A change of level between two neighbours."""

    index: int
    """the first value after the change"""
    ratio: Estimate
    """the level after to the level before, with its interval (95%), up to the neighbouring steps or the ends"""
    p_value: float


@dataclass(frozen=True)
class Course:
    """How a series went: level, in steps, or in a drift; never the last two."""

    steps: Sequence[LevelChange] = ()
    drift: float | None = None
    """the last value of the straight line to its first; None: it does not drift"""


LEVEL_COURSE = Course()


def course_of(values: Sequence[float], alpha: float = 1 - LEVEL) -> Course:
    """The steps of a series of positive values in the order of time, the first before the last, or its drift.

    A series shorter than `SHORTEST` shows none.

    Args:
        alpha: the probability with which a series without a change may show one: 0.05.
    """
    ends = _ends(values, 0, alpha)
    if not ends:
        return LEVEL_COURSE
    places = [0, *(end for end, _ in ends), len(values)]
    line, line_error = _line(values)
    levels = [np.log(values[start:end]) for start, end in pairwise(places)]
    steps_error = sum(float(((level - level.mean()) ** 2).sum()) for level in levels)
    # Parameters: two of a line; of steps, each level and the place of each step.
    better = _criterion(steps_error, 2 * len(ends) + 1, len(values)) - _criterion(line_error, 2, len(values))
    if better > CLEARLY and trend(values).p_value < alpha:
        return Course(drift=math.exp(line * (len(values) - 1)))
    steps = [
        LevelChange(end, unpaired_ratio(values[end:after], values[before:end]), p_value)
        for (end, p_value), before, after in zip(ends, places, places[2:], strict=False)
    ]
    return Course(steps)


def _ends(values: Sequence[float], offset: int, alpha: float) -> list[tuple[int, float]]:
    """Where levels end in this part of a series, which begins at `offset`, each with the p-value of its step."""
    if len(values) < SHORTEST:
        return []
    step = change_point(values, FEWEST_ON_A_SIDE)
    if step.is_rare(alpha / 2):
        places, p_value = [step.index], step.p_value
    else:
        places, p_value = _there_and_back(np.asarray(values, dtype=np.float64))
        if p_value >= alpha / 2:
            return []
    bounds = [0, *places, len(values)]
    parts = list(pairwise(bounds))
    within = [end for start, stop in parts for end in _ends(values[start:stop], offset + start, alpha / len(parts))]
    return sorted([*within, *((offset + place, p_value) for place in places)])


def _there_and_back(series: Floats) -> tuple[list[int], float]:
    """The first value of the likeliest stretch between two others that differs from both, the first after it, and the
    p-value that there is one."""
    _, start, end = max(
        (float(splits[0].max()), int(splits[0].argmax()) + FEWEST_ON_A_SIDE, length)
        for length, splits in _stretches((series - series.mean())[None, :])
    )
    end += start
    inside = np.zeros(series.size, dtype=bool)
    inside[start:end] = True
    left = np.where(inside, series - series[inside].mean(), series - series[~inside].mean())
    centred = series - series.mean()
    p_value = _share_as_large(centred[orders_of(series.size)], centred)
    waves = waves_of(left, fitted=4) if p_value < 1 - LEVEL else None
    return [start, end], p_value if waves is None else max(p_value, _share_as_large(waves, centred))


def _share_as_large(rows: Floats, series: Floats) -> float:
    """The share of these series that show as large a stretch as this one, itself among them; all have mean 0."""
    largest = max(float(splits.max()) for _, splits in _stretches(series[None, :]))
    if largest == 0:
        return 1.0
    as_large = np.zeros(len(rows), dtype=bool)
    for _, splits in _stretches(rows):
        as_large |= splits.max(axis=1) >= largest * (1 - 1e-12)
    return (1 + int(as_large.sum())) / (1 + PERMUTATIONS)


def _stretches(centred: Floats) -> Iterator[tuple[int, Floats]]:
    """By its length, how far each stretch of rows with mean 0 is from the rest, shape (rows, places): standardised as
    in `trend.change_point`. A stretch and both sides of it have FEWEST_ON_A_SIDE values at least."""
    n, least = centred.shape[1], FEWEST_ON_A_SIDE
    sums = centred.cumsum(axis=1)
    for length in range(least, n - 2 * least + 1):
        first = sums[:, least - 1 : n - least - length]
        yield length, np.abs(sums[:, least - 1 + length : n - least] - first) / math.sqrt(length * (n - length))


def _line(values: Sequence[float]) -> tuple[float, float]:
    """The slope of the straight line through the logarithms, per value, and the squares of what it leaves, summed."""
    logs = np.log(values)
    places = np.arange(logs.size) - (logs.size - 1) / 2
    slope = float(places @ logs / (places @ places))
    left = logs - logs.mean() - slope * places
    return slope, float(left @ left)


def _criterion(squares: float, parameters: int, values: int) -> float:
    return values * math.log(max(squares, 1e-24) / values) + parameters * math.log(values)
